'use strict';

// Runs the extension against the real command, with a stand-in for VS Code's interface
// that keeps what is registered. Called with the path of a .parley file.

const fs = require('fs');
const path = require('path');
const Module = require('module');
const { pathToFileURL } = require('url');

const file = path.resolve(process.argv[2]);
const uri = pathToFileURL(file).href;
const found = {};
const registered = {};
let published;
const said = new Promise((resolve) => { published = resolve; });

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(start, end) { Object.assign(this, { start, end }); } }
class Kept { constructor(...args) { this.args = args; } }
class Item { constructor(label, kind) { Object.assign(this, { label, kind }); } }
class WorkspaceEdit { constructor() { this.edits = {}; } set(u, list) { this.edits[u.toString()] = list; } }
const at = (u) => ({ toString: () => u });
const nothing = () => ({ dispose() {} });
const register = (name) => (...args) => { registered[name] = args.find((a) => a && Object.values(a).some((v) => typeof v === 'function')); return nothing(); };
const document = { languageId: 'parley', version: 1, uri: at(uri), getText: () => fs.readFileSync(file, 'utf8') };

const vscode = {
  Position, Range, WorkspaceEdit, Location: Kept, TextEdit: Kept, Diagnostic: class { constructor(r, message) { this.message = message; } },
  DocumentSymbol: class { constructor(name) { this.name = name; } }, Hover: Kept, MarkdownString: class { constructor(value) { this.value = value; } },
  CompletionItem: Item, CodeAction: class { constructor(title) { this.title = title; } }, CodeActionKind: { QuickFix: 'quickfix' },
  SemanticTokens: Kept, SemanticTokensLegend: Kept, SymbolInformation: Kept, Uri: { parse: at },
  workspace: {
    workspaceFolders: [{ uri: at(pathToFileURL(path.dirname(file)).href), name: 'x' }], textDocuments: [document],
    getConfiguration: () => ({ get: () => process.env.PARLEY_COMMAND || 'parley' }),
    createFileSystemWatcher: () => ({ onDidChange: nothing, onDidCreate: nothing, onDidDelete: nothing, dispose() {} }),
    onDidOpenTextDocument: nothing, onDidChangeTextDocument: nothing, onDidSaveTextDocument: nothing, onDidCloseTextDocument: nothing,
  },
  window: { showErrorMessage: (m) => { console.error(m); process.exitCode = 1; } },
  languages: new Proxy({
    createDiagnosticCollection: () => ({ set: (u, list) => { found[u.toString()] = list; published(); }, clear() {}, dispose() {} }),
  }, { get: (o, name) => o[name] || register(name) }),
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));

async function main() {
  const extension = require('../extension.js');
  const context = { subscriptions: [] };
  await extension.activate(context);
  await said;
  const text = document.getText();
  const spot = (around) => {
    const before = text.slice(0, text.indexOf(around.replace('|', '')) + around.indexOf('|')).split('\n');
    return new Position(before.length - 1, before[before.length - 1].length);
  };
  const r = registered;
  const out = { diagnostics: found[uri].map((d) => d.message) };
  out.hover = (await r.registerHoverProvider.provideHover(document, spot('${tim|es}'))).args[0].value;
  out.definition = (await r.registerDefinitionProvider.provideDefinition(document, spot('attack flat|ter(times'))).length;
  out.references = (await r.registerReferenceProvider.provideReferences(document, spot('attack flat|ter(times'), { includeDeclaration: true })).length;
  out.rename = (await r.registerRenameProvider.provideRenameEdits(document, spot('attack flat|ter(times'), 'praise')).edits[uri].map((e) => e.args[1]);
  out.completion = (await r.registerCompletionItemProvider.provideCompletionItems(document, spot('run.|answer'))).map((i) => i.label);
  out.symbols = (await r.registerDocumentSymbolProvider.provideDocumentSymbols(document)).map((s) => s.name);
  out.formatting = (await r.registerDocumentFormattingEditProvider.provideDocumentFormattingEdits(document, {})).length;
  out.tokens = (await r.registerDocumentSemanticTokensProvider.provideDocumentSemanticTokens(document)).args[0].length % 5;
  out.actions = (await r.registerCodeActionsProvider.provideCodeActions(document, new Range(spot('mod|el pupil'), spot('mod|el pupil')), {})).length;
  out.found = (await r.registerWorkspaceSymbolProvider.provideWorkspaceSymbols('sale')).length;
  await extension.deactivate();
  console.log(JSON.stringify(out));
}

main().catch((error) => { console.error(error); process.exit(1); });

'use strict';

// The editor's side: it hands what VS Code asks to `parley lsp`, and what that answers
// back. Both count positions in UTF-16 units, so that they pass through as they are.

const vscode = require('vscode');
const { Client } = require('./client');

const selector = [{ language: 'parley', scheme: 'file' }, { language: 'parley', scheme: 'untitled' }];
const mostRestarts = 4;

let client;
let diagnostics;
let restarts = 0;
let leaving = false;

const position = (p) => new vscode.Position(p.line, p.character);
const range = (r) => new vscode.Range(position(r.start), position(r.end));
const location = (l) => new vscode.Location(vscode.Uri.parse(l.uri), range(l.range));
const edit = (e) => new vscode.TextEdit(range(e.range), e.newText);
const plain = (p) => ({ line: p.line, character: p.character });
const plainRange = (r) => ({ start: plain(r.start), end: plain(r.end) });
const name = (document) => ({ uri: document.uri.toString() });
const at = (document, p, more) => ({ textDocument: name(document), position: plain(p), ...more });
const markdown = (text) => new vscode.MarkdownString(text);
const ours = (document) => document.languageId === 'parley';

function changes(answer) {
  const out = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(answer.changes)) out.set(vscode.Uri.parse(uri), edits.map(edit));
  return out;
}

function show(params) {
  diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map((d) => {
    const out = new vscode.Diagnostic(range(d.range), d.message, d.severity - 1);
    out.source = d.source;
    out.code = d.code;
    out.tags = d.tags;
    return out;
  }));
}

function open(document) {
  if (!ours(document)) return;
  client.notify('textDocument/didOpen', {
    textDocument: { ...name(document), languageId: 'parley', version: document.version, text: document.getText() },
  });
}

function symbol(s) {
  const out = new vscode.DocumentSymbol(s.name, s.detail || '', s.kind - 1, range(s.range), range(s.selectionRange));
  out.children = (s.children || []).map(symbol);
  return out;
}

function item(i) {
  const out = new vscode.CompletionItem(i.label, i.kind - 1);
  out.detail = i.detail;
  out.documentation = i.documentation && markdown(i.documentation.value);
  out.sortText = i.sortText;
  out.filterText = i.filterText;
  out.range = range(i.textEdit.range);
  out.insertText = i.textEdit.newText;
  return out;
}

async function start(context) {
  const command = vscode.workspace.getConfiguration('parley').get('path') || 'parley';
  client = new Client(command, ['lsp']);
  client.on('textDocument/publishDiagnostics', show);
  client.onEnd = (error) => {
    diagnostics.clear();
    if (leaving) return;
    if (error.code === 'ENOENT') {
      vscode.window.showErrorMessage(`Parley: there is no command "${command}". Install it, or set parley.path.`);
    } else if (++restarts < mostRestarts) {
      start(context);
    } else {
      vscode.window.showErrorMessage(`Parley: ${error.message}; reload the window to start it again.`);
    }
  };
  const folders = (vscode.workspace.workspaceFolders || []).map((f) => ({ uri: f.uri.toString(), name: f.name }));
  const answer = await client.request('initialize', {
    processId: process.pid,
    rootUri: folders.length ? folders[0].uri : null,
    workspaceFolders: folders,
    capabilities: { general: { positionEncodings: ['utf-16'] } },
  });
  client.notify('initialized', {});
  vscode.workspace.textDocuments.forEach(open);
  return answer.capabilities;
}

function providers(capabilities) {
  const ask = (method, params, token) => client.request(method, params, token);
  const legend = capabilities.semanticTokensProvider.legend;
  return [
    vscode.languages.registerHoverProvider(selector, {
      async provideHover(d, p, t) {
        const h = await ask('textDocument/hover', at(d, p), t);
        return h && new vscode.Hover(markdown(h.contents.value), range(h.range));
      },
    }),
    vscode.languages.registerDefinitionProvider(selector, {
      provideDefinition: async (d, p, t) => (await ask('textDocument/definition', at(d, p), t)).map(location),
    }),
    vscode.languages.registerReferenceProvider(selector, {
      provideReferences: async (d, p, context, t) =>
        (await ask('textDocument/references', at(d, p, { context: { includeDeclaration: context.includeDeclaration } }), t)).map(location),
    }),
    vscode.languages.registerRenameProvider(selector, {
      async prepareRename(d, p, t) {
        const answer = await ask('textDocument/prepareRename', at(d, p), t);
        return { range: range(answer.range), placeholder: answer.placeholder };
      },
      provideRenameEdits: async (d, p, newName, t) => changes(await ask('textDocument/rename', at(d, p, { newName }), t)),
    }),
    vscode.languages.registerCompletionItemProvider(selector, {
      provideCompletionItems: async (d, p, t) => (await ask('textDocument/completion', at(d, p), t)).items.map(item),
    }, ...capabilities.completionProvider.triggerCharacters),
    vscode.languages.registerDocumentSymbolProvider(selector, {
      provideDocumentSymbols: async (d, t) => (await ask('textDocument/documentSymbol', { textDocument: name(d) }, t)).map(symbol),
    }),
    vscode.languages.registerWorkspaceSymbolProvider({
      provideWorkspaceSymbols: async (query, t) => (await ask('workspace/symbol', { query }, t))
        .map((s) => new vscode.SymbolInformation(s.name, s.kind - 1, '', location(s.location))),
    }),
    vscode.languages.registerDocumentFormattingEditProvider(selector, {
      provideDocumentFormattingEdits: async (d, options, t) =>
        (await ask('textDocument/formatting', { textDocument: name(d), options: { tabSize: options.tabSize, insertSpaces: true } }, t)).map(edit),
    }),
    vscode.languages.registerCodeActionsProvider(selector, {
      async provideCodeActions(d, r, context, t) {
        const found = await ask('textDocument/codeAction', { textDocument: name(d), range: plainRange(r), context: { diagnostics: [] } }, t);
        return found.map((a) => {
          const out = new vscode.CodeAction(a.title, vscode.CodeActionKind.QuickFix);
          out.edit = changes(a.edit);
          out.isPreferred = a.isPreferred;
          return out;
        });
      },
    }),
    vscode.languages.registerDocumentSemanticTokensProvider(selector, {
      provideDocumentSemanticTokens: async (d, t) =>
        new vscode.SemanticTokens(new Uint32Array((await ask('textDocument/semanticTokens/full', { textDocument: name(d) }, t)).data)),
    }, new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers)),
  ];
}

async function activate(context) {
  diagnostics = vscode.languages.createDiagnosticCollection('parley');
  const watcher = vscode.workspace.createFileSystemWatcher('**/*.{parley,json,jsonl,csv,yaml,yml}');
  const touched = () => client.notify('workspace/didChangeWatchedFiles', { changes: [] });
  context.subscriptions.push(
    diagnostics, watcher, watcher.onDidChange(touched), watcher.onDidCreate(touched), watcher.onDidDelete(touched),
    vscode.workspace.onDidOpenTextDocument(open),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!ours(document)) return;
      client.notify('textDocument/didChange', {
        textDocument: { ...name(document), version: document.version }, contentChanges: [{ text: document.getText() }],
      });
    }),
    vscode.workspace.onDidSaveTextDocument((document) => ours(document) && client.notify('textDocument/didSave', { textDocument: name(document) })),
    vscode.workspace.onDidCloseTextDocument((document) => ours(document) && client.notify('textDocument/didClose', { textDocument: name(document) })),
  );
  const capabilities = await start(context);
  context.subscriptions.push(...providers(capabilities));
}

function deactivate() {
  leaving = true;
  return client && client.stop();
}

module.exports = { activate, deactivate };

'use strict';

// The protocol's side of the extension: it starts a language server, and sends and
// receives messages over its input and output. It knows nothing of VS Code.

const { spawn } = require('child_process');

class Client {
  constructor(command, args, options) {
    this.waiting = new Map();
    this.listeners = new Map();
    this.next = 1;
    this.received = Buffer.alloc(0);
    this.ended = false;
    this.onEnd = () => {};
    this.process = spawn(command, args, options);
    this.process.stdout.on('data', (chunk) => this.receive(chunk));
    this.process.stdin.on('error', () => {});
    this.process.on('error', (error) => this.end(error));
    this.process.on('exit', (code) => this.end(new Error(`the server ended with code ${code}`)));
  }

  end(error) {
    if (this.ended) return;
    this.ended = true;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.onEnd(error);
  }

  send(message) {
    if (this.ended) return;
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }), 'utf8');
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  notify(method, params) {
    this.send({ method, params });
  }

  // request asks, and calls the question off if the token says so.
  request(method, params, token) {
    if (this.ended) return Promise.reject(new Error('the server has ended'));
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
      if (token) token.onCancellationRequested(() => this.notify('$/cancelRequest', { id }));
    });
  }

  on(method, listener) {
    this.listeners.set(method, listener);
  }

  receive(chunk) {
    this.received = Buffer.concat([this.received, chunk]);
    for (;;) {
      const head = this.received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = /content-length: *(\d+)/i.exec(this.received.toString('ascii', 0, head));
      if (!length) return this.end(new Error('the server sent a message without its length'));
      const from = head + 4;
      const to = from + Number(length[1]);
      if (this.received.length < to) return;
      const body = this.received.toString('utf8', from, to);
      this.received = this.received.subarray(to);
      this.handle(JSON.parse(body));
    }
  }

  handle(message) {
    if (message.method !== undefined) {
      const listener = this.listeners.get(message.method);
      if (listener && message.id === undefined) listener(message.params);
      else if (message.id !== undefined) this.send({ id: message.id, error: { code: -32601, message: 'not known here' } });
      return;
    }
    const asked = this.waiting.get(message.id);
    if (!asked) return;
    this.waiting.delete(message.id);
    if (message.error) asked.reject(new Error(message.error.message));
    else asked.resolve(message.result);
  }

  // stop ends the server as the protocol wants it.
  async stop() {
    if (this.ended) return;
    const gone = new Promise((resolve) => this.process.on('exit', resolve));
    await this.request('shutdown');
    this.notify('exit');
    await gone;
  }
}

module.exports = { Client };

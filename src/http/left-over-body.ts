// A request that was answered before its body had come: a refusal, mostly. The rest is read and thrown away for a moment,
// so that a client which only reads after it has written still sees its answer; then the connection is cut, or a
// stranger could hold it with one byte a minute.
import type { IncomingMessage } from 'node:http';

/** @param ms how long the rest is waited for */
export function dropLeftOverBody(message: IncomingMessage, ms: number): void {
  // An injected request (tests) has no `complete`.
  if (message.complete !== false || message.destroyed) return;
  const { socket } = message;
  message.resume();
  const timer = setTimeout(() => socket.destroy(), ms);
  timer.unref();
  message.once('end', () => clearTimeout(timer));
  message.once('close', () => clearTimeout(timer));
}

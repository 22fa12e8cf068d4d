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

/**
 * To be called before the answer is sent. Node closes a connection that is not to be kept as soon as the answer is
 * written, over a body that is still coming; the reset would reach the client in place of the answer. Closed is only our
 * side, until the body has come, the client has closed, or `dropLeftOverBody` cuts it.
 */
export function closeAfterBody(message: IncomingMessage): void {
  if (message.complete !== false) return;
  const { socket } = message;
  socket.destroySoon = () => {
    if (socket.writable) socket.end();
    if (message.complete || message.destroyed) socket.destroy();
    else message.once('end', () => socket.destroy());
  };
}

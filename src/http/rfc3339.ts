export { parseFutureTime, parseTime } from '../domain/rfc3339.ts';

/** The caller of an operation; every log line of the operation names it. */
export interface Caller {
  readonly keyName: string;
  readonly requestId: string;
  /** The source of claims that its key is bound to; absent: to none. */
  readonly boundTo?: string | undefined;
  /** The peer's address, or `unix`. */
  readonly source: string;
  /** `performance.now()` of the request's arrival; the two seconds of promise 3 start here. */
  readonly receivedAt: number;
  /** Called with the id of each audit row of the operation; the row is durable with the change. */
  readonly audited?: (row: number) => void;
}

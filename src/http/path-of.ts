/** The path of a request's address, without the query: that may hold what is not for a log. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

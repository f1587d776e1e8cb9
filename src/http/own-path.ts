/** The query is dropped beyond this length. */
const maxCharacters = 1_024

/**
 * Returns the text if it is a path of this host, with an optional query. Returns `undefined` for anything that a
 * browser could resolve to another host. The service never redirects to other targets from a request.
 */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\/(?![/\\])[!-~]*$/.test(text)) return undefined
  return text.length <= maxCharacters ? text : (text.split('?')[0] ?? '/').slice(0, maxCharacters)
}

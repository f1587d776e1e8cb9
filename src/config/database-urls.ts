/**
 * Splits a libpq URL with several hosts (`postgres://user:password@h1:5432,h2/name?…`) into one URL per host. Returns
 * `undefined` if the URL is invalid. Drops `target_session_attrs`, because the service always looks for the writable
 * host.
 */
export function databaseUrls(text: string): string[] | undefined {
  const parts = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]+)(\/[^?#]*)?(\?[^#]*)?$/.exec(text)
  if (parts === null) return undefined
  const [, scheme = '', user = '', hosts = '', name = '', query = ''] = parts
  const parameters = new URLSearchParams(query)
  parameters.delete('target_session_attrs')
  const rest = parameters.size === 0 ? name : `${name}?${parameters}`
  const urls = hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`)
  return urls.every((url) => URL.canParse(url) && new URL(url).hostname !== '') ? urls : undefined
}

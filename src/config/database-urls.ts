/**
 * The addresses of a database, one for each host, from libpq's form: `postgres://user:password@h1:5432,h2/name?…`.
 * Undefined when it is none. `target_session_attrs` is left out: what we look for is always the one that takes writes.
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

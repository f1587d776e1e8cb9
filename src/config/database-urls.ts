import { accessSync, constants } from 'node:fs'

/**
 * Splits a libpq URL with several hosts (`postgres://user:password@h1:5432,h2/name?…`) into one URL per host. Returns
 * `undefined` if it is invalid. Drops `target_session_attrs`: the service always looks for the writable host.
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

const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Returns what is wrong with the parameters of `DATABASE_URL` that configure TLS. */
export function tlsFaults(parameters: URLSearchParams): string[] {
  const mode = parameters.get('sslmode')
  const ca = parameters.get('sslrootcert')
  const messages: string[] = []
  if (mode !== null && !tlsModes.includes(mode)) {
    messages.push(`sslmode in DATABASE_URL must be one of ${tlsModes.slice(0, -1).join(', ')}; got ${quoted(mode)}`)
  }
  if (mode === 'verify-ca' && (ca === null || ca === 'system')) {
    messages.push('sslmode=verify-ca in DATABASE_URL needs sslrootcert, the file with the certificate of the authority')
  }
  if (ca === 'system' && mode !== null && mode !== 'verify-full') {
    messages.push(`sslrootcert=system in DATABASE_URL needs sslmode=verify-full; got ${quoted(mode)}`)
  }
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = parameters.get(name)
    if (path === null || path === 'system') continue
    try {
      accessSync(path, constants.R_OK)
    } catch (error) {
      messages.push(`${name} in DATABASE_URL must be a file that this user can read (${(error as Error).message})`)
    }
  }
  return messages
}

/** Quotes the value on one line. Hides the part of a URL before an `@`, which may contain a password. */
export function quoted(text: string): string {
  return JSON.stringify(text.replace(/\/\/[^/@]*@/, '//…@'))
}

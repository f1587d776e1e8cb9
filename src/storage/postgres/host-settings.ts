import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'

type Tls = Exclude<ClientConfig['ssl'], boolean | undefined>

export interface HostSettings {
  /** Settings of the driver. */
  client: Pick<ClientConfig, 'connectionString' | 'ssl'>
  /** Whether to connect without TLS if the host doesn't offer it. */
  mayDoWithoutTls: boolean
}

const fileParameters = ['sslrootcert', 'sslcert', 'sslkey'] as const

/**
 * Returns how to connect to the host of this URL. `sslmode` has the meaning that it has for libpq. The driver treats all
 * modes as `verify-full`, and prints a warning.
 *
 * Reads the files with certificates and key.
 */
export function hostSettings(url: string): HostSettings {
  const address = new URL(url)
  const { searchParams } = address
  const fileOf = (name: (typeof fileParameters)[number]) => {
    const path = searchParams.get(name)
    return path === null || path === 'system' ? undefined : readFileSync(path, 'utf8')
  }
  const files = { ca: fileOf('sslrootcert'), cert: fileOf('sslcert'), key: fileOf('sslkey') }
  const namesFile = fileParameters.some((name) => searchParams.has(name))
  const mode = searchParams.get('sslmode') ?? (namesFile ? 'verify-full' : undefined)
  for (const name of ['sslmode', 'uselibpqcompat', ...fileParameters]) searchParams.delete(name)
  const connectionString = address.href
  if (mode === undefined) return { client: { connectionString }, mayDoWithoutTls: false }
  const given = Object.fromEntries(Object.entries(files).filter(([, text]) => text !== undefined))
  return {
    client: {
      connectionString,
      ssl: mode !== 'disable' && { ...given, ...verification(mode, files.ca !== undefined) },
    },
    mayDoWithoutTls: mode === 'prefer' || mode === 'allow',
  }
}

/** @param hasCa with a certificate authority, `require` verifies the certificate but not its host name. */
function verification(mode: string, hasCa: boolean): Tls {
  if (mode === 'verify-full') return {}
  if (mode === 'verify-ca' || (mode === 'require' && hasCa)) return { checkServerIdentity: () => undefined }
  return { rejectUnauthorized: false }
}

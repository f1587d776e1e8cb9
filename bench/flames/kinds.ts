/** Kinds of work on the service's main thread, in drawing order. */
export const kinds = [
  'our code',
  'digests and seals',
  'SQLite',
  'handing over syncs',
  'Node’s HTTP, sockets',
  'writes to sockets',
  'garbage collection',
  'outside JavaScript',
] as const
export type Kind = (typeof kinds)[number]

/**
 * Kind of each built-in function, by function name. Profile frames of built-in functions have no URL to classify them
 * by.
 */
const builtIns: Record<string, Kind> = {
  '(garbage collector)': 'garbage collection',
  '(program)': 'outside JavaScript',
  fdatasync: 'handing over syncs',
  ...of('SQLite', ['get', 'all', 'run', 'exec', 'iterate', 'prepare']),
  ...of('writes to sockets', ['writeUtf8String', 'writeLatin1String', 'writeAsciiString', 'writeBuffer', 'writev']),
  ...of('digests and seals', ['oneShotDigest', 'digest', 'final', 'setAAD', 'setAuthTag', 'getAuthTag', 'Hmac']),
  ...of('digests and seals', ['init', 'CipherBase', 'timingSafeEqual', 'secureBuffer', 'randomFillSync']),
  RandomBytesJob: 'digests and seals',
}

function of(kind: Kind, names: string[]): Record<string, Kind> {
  return Object.fromEntries(names.map((name) => [name, kind]))
}

/**
 * Returns a frame's kind of work. Returns `undefined` for a built-in function that `builtIns` doesn't list: its time
 * counts as its caller's kind.
 */
export function kindOf({ functionName, url }: { functionName: string; url: string }): Kind | undefined {
  if (url.includes('/src/')) return 'our code'
  if (url.startsWith('node:internal/crypto') || url === 'node:crypto') return 'digests and seals'
  if (url === 'node:fs') return 'handing over syncs'
  if (url !== '') return 'Node’s HTTP, sockets'
  return builtIns[functionName]
}

/** Fill colors, light enough for dark text in both color schemes. */
const colours: Record<Kind, string> = {
  'our code': '#7cc79f',
  'digests and seals': '#c9a6e8',
  SQLite: '#8db8f0',
  'handing over syncs': '#f0c36d',
  'Node’s HTTP, sockets': '#c3cad3',
  'writes to sockets': '#9aa7b5',
  'garbage collection': '#f0a08a',
  'outside JavaScript': '#dfe3e8',
}

export function kindClass(kind: Kind): string {
  return `k${kinds.indexOf(kind)}`
}

export const kindStyle = `
${kinds.map((kind) => `.${kindClass(kind)}{fill:${colours[kind]}}`).join('')}text.on{font-size:11px;fill:#1f2328}`

import { type Kind, kinds } from './kinds.ts'

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

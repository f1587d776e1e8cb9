import * as limits from '../limits/limits.ts'

export interface DifferencePart {
  in: 'both' | 'registered' | 'sent'
  text: string
}

/** The mistake that alone explains the difference, or `otherwise`. */
export type DifferenceKind = 'slash-at-end' | 'case' | 'scheme' | 'www' | 'port' | 'query' | 'otherwise'

export interface RedirectUriDifference {
  registered: string
  /** Truncated to the maximum length of a registered URI. */
  sent: string
  kind: DifferenceKind
  parts: readonly DifferencePart[]
}

/** Compares a redirect URI with the most similar registered one. Returns `undefined` if none is registered. */
export function redirectUriDifference(
  registered: readonly string[],
  sentWhole: string,
): RedirectUriDifference | undefined {
  const sent = sentWhole.slice(0, limits.redirectUriMaxCharacters)
  let nearest: { uri: string; nearness: number } | undefined
  for (const uri of registered) {
    const { start, end } = commonEnds(uri, sent)
    const nearness = (start + end) / Math.max(uri.length, sent.length)
    if (nearest === undefined || nearness > nearest.nearness) nearest = { uri, nearness }
  }
  if (nearest === undefined) return undefined
  return {
    registered: nearest.uri,
    sent,
    kind: differenceKind(nearest.uri, sent),
    parts: differenceParts(nearest.uri, sent),
  }
}

const normalizers: readonly (readonly [DifferenceKind, (uri: string) => string])[] = [
  ['slash-at-end', (uri) => uri.replace(/\/(?=\?|$)/, '')],
  ['case', (uri) => uri.toLowerCase()],
  ['scheme', (uri) => uri.replace(/^https?:/i, '')],
  ['www', (uri) => uri.replace(/^([a-z]+:\/\/)www\./i, '$1')],
  ['port', (uri) => uri.replace(/^([a-z]+:\/\/[^/?#]*?):\d*(?=[/?#]|$)/i, '$1')],
  ['query', (uri) => uri.replace(/\?.*$/s, '')],
]

export function differenceKind(one: string, other: string): DifferenceKind {
  return normalizers.find(([, without]) => without(one) === without(other))?.[0] ?? 'otherwise'
}

const nearKinds = ['slash-at-end', 'case', 'www', 'port'] as const
export type NearDuplicateKind = (typeof nearKinds)[number]

/** Returns differences that suggest a mistake. Another `http://` port doesn't: it is another program in development. */
export function nearDuplicateKinds(uris: readonly string[]): NearDuplicateKind[] {
  const kinds = uris.flatMap((one, index) =>
    uris
      .slice(index + 1)
      .map((other) => differenceKind(one, other))
      .filter((kind) => !(kind === 'port' && /^http:/i.test(one))),
  )
  return nearKinds.filter((kind) => kinds.includes(kind))
}

/** Joining the shared parts and one URI's own parts in order yields that URI. */
export function differenceParts(registered: string, sent: string): DifferencePart[] {
  const { start, end } = commonEnds(registered, sent)
  const inner = (uri: string) => uri.slice(start, uri.length - end)
  const all: DifferencePart[] = [
    { in: 'both', text: sent.slice(0, start) },
    ...innerParts(inner(registered), inner(sent)),
    { in: 'both', text: sent.slice(sent.length - end) },
  ]
  return all.filter(({ text }) => text !== '')
}

function commonEnds(one: string, other: string): { start: number; end: number } {
  const [last, otherLast, shorter] = [one.length, other.length, Math.min(one.length, other.length)]
  const start = commonLength(shorter, (from, to) => one.slice(from, to) === other.slice(from, to))
  const end = commonLength(
    shorter - start,
    (from, to) => one.slice(last - to, last - from) === other.slice(otherLast - to, otherLast - from),
  )
  return { start, end }
}

/** Compares blocks of characters, and single ones only at the end: a page compares up to 250 pairs of long URIs. */
function commonLength(most: number, isCommon: (from: number, to: number) => boolean): number {
  let length = 0
  for (const block of [512, 64, 8, 1]) {
    while (length + block <= most && isCommon(length, length + block)) length += block
  }
  return length
}

/** The comparison takes quadratic time. A longer difference is shown as a single replacement. */
const comparedMaxCharacters = 400

function innerParts(registered: string, sent: string): DifferencePart[] {
  const replaced: DifferencePart[] = [
    { in: 'registered', text: registered },
    { in: 'sent', text: sent },
  ]
  if (Math.max(registered.length, sent.length) > comparedMaxCharacters) return replaced
  const parts = longestCommonParts(registered, sent)
  const common = parts.reduce((sum, part) => sum + (part.in === 'both' ? part.text.length : 0), 0)
  // If less than half of the characters match, the matches are probably coincidences and would only add noise.
  return common * 2 < Math.max(registered.length, sent.length) ? replaced : parts
}

/** Finds the longest common subsequence. Takes time and space proportional to the product of the lengths. */
function longestCommonParts(one: string, other: string): DifferencePart[] {
  const width = other.length + 1
  const lengths = new Uint16Array((one.length + 1) * width)
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        one[i] === other[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
    }
  }
  const parts: DifferencePart[] = []
  const add = (where: DifferencePart['in'], character: string) => {
    const last = parts.at(-1)
    if (last?.in === where) last.text += character
    else parts.push({ in: where, text: character })
  }
  let [i, j] = [0, 0]
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) {
      add('both', one[i]!)
      i += 1
      j += 1
    } else if (i < one.length && (j === other.length || lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      add('registered', one[i]!)
      i += 1
    } else {
      add('sent', other[j]!)
      j += 1
    }
  }
  return parts
}

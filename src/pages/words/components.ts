import type { DifferenceKind } from '../../domain/applications/redirect-uri-difference.ts'
import { t, type Words } from '../html.ts'

/** Text in the shared page components. */
export const componentWords = {
  faults: (count: number): Words => (count === 1 ? t`Check 1 field` : t`Check ${count} fields`),
}

/** Text in tables of client secrets, flow keys, runtime keys and other access that can be revoked. */
export const secretTableWords = {
  /** Last-use times are collected in memory; `startFlushing` in `upkeep/upkeep.ts` stores them every minute. */
  lastUsedIsLate: t`Last-used times are updated every minute.`,
}

/** Text that compares the redirect URI in a request with the most similar registered one. */
export const differenceWords = {
  kinds: {
    'slash-at-end': t`They differ only in the slash at the end.`,
    case: t`They differ only in capitalization.`,
    scheme: t`They differ only in the scheme: http and https.`,
    www: t`One has www. before the host, and the other doesn’t.`,
    port: t`They differ only in the port.`,
    query: t`They differ only in the query.`,
    otherwise: t`This is the closest registered URI. Differences are marked.`,
  } satisfies Record<DifferenceKind, Words>,
}

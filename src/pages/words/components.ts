import type { DifferenceKind } from '../../domain/applications/redirect-uri-difference.ts'
import { type Text, t, type Words } from '../html.ts'

/** Text in the shared page components. */
export const componentWords = {
  trail: t`Breadcrumbs`,
  copy: {
    copy: t`Copy`,
    copied: t`Copied`,
    selected: t`Selected`,
    withTheKeyboard: t`The text is selected. Copy it with your keyboard.`,
  },
  list: {
    sort: t`Sort by`,
    show: t`Search`,
    all: t`Show all`,
    found: (count: number, all: number): Words => t`${count} of ${all} match.`,
    noneFound: t`Nothing matches`,
    noneFoundHint: t`Search for any part of a name or ID.`,
  },
  error: t`Error: `,
  faults: (count: number): Words => (count === 1 ? t`Check 1 field` : t`Check ${count} fields`),
  sampleLanguage: (title: Text): Words => t`${title}: language`,
}

/** Text in tables of client secrets, flow keys, runtime keys and other access that can be revoked. */
export const secretTableWords = {
  label: t`Label`,
  currentKey: t`Current key`,
  previousKey: t`Previous key`,
  key: t`Key`,
  created: t`Created`,
  lastUsed: t`Last used`,
  never: t`Never`,
  /** Last-use times are collected in memory; `startFlushing` in `upkeep/upkeep.ts` stores them every minute. */
  lastUsedIsLate: t`Last-used times are updated every minute.`,
  expires: (when: Text): Words => t`Expires ${when}`,
  shownAbove: t`Shown above`,
  action: t`Action`,
  revoke: t`Revoke`,
  replaceOnly: t`Can only be replaced`,
}

/** Text that compares the redirect URI in a request with the most similar registered one. */
export const differenceWords = {
  registered: t`Registered`,
  add: t`Add this redirect URI`,
  sent: t`Sent`,
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

import * as limits from '../../../domain/limits/limits.ts'
import { html, plural, type Text, t, type Words } from '../../../pages/html.ts'
import { countWords } from '../../../pages/words/figures.ts'

/** Text for the chart of the last 24 hours. */
export const chartWords = {
  bar: (hour: string, sums: readonly { name: Words; count: Words }[]): Words => {
    const list = sums.map(({ name, count }, at) => html`${at > 0 && ', '}${name}: ${count}`)
    return t`${hour} UTC. ${list}`
  },
}

const webhooksWords = (count: number) =>
  plural(count, t`${countWords(count)} webhook`, t`${countWords(count)} webhooks`)

/** Hidden by the script, which takes the time in the browser's time zone. */
const inUtc = html`<span data-utc-only>(UTC)</span>`

/** Text for the list of a bot's webhooks. */
export const listWords = {
  states: t`Filter by state`,
  all: t`All`,
  search: t`Event ID or text in the body`,
  searchId: t`Event ID`,
  since: {
    any: t`Any time`,
    hour: t`Last hour`,
    day: t`Last 24 hours`,
    week: t`Last 7 days`,
  },
  range: t`Custom range`,
  from: t`From ${inUtc}`,
  until: t`To ${inUtc}`,
  apply: t`Apply filter`,
  reset: t`Show all`,
  /** The script replaces the 0 with the number of selected webhooks. */
  chosen: t`0 selected`,
  received: t`Received`,
  flow: t`Flow`,
  searched: (examined: number, backTo: Text | undefined): Words =>
    backTo === undefined
      ? t`Searched ${webhooksWords(examined)}.`
      : t`Searched ${webhooksWords(examined)}, back to ${backTo}.`,
  searchedAll: (examined: number): Words =>
    plural(
      examined,
      t`Searched all ${countWords(examined)} webhook that match this filter.`,
      t`Searched all ${countWords(examined)} webhooks that match this filter.`,
    ),
  searchedPart: (bytes: Words): Words => t`The search covers the first ${bytes} of each body.`,
  searchFurther: t`Search further`,
  export: t`Export:`,
  // A function, because formatting the number while modules load would add 20 ms to every start.
  exportHint: (): Words =>
    t`Exports contain up to ${countWords(limits.eventsExportedMax)} webhooks, without their bodies.`,
  exportCut: (before: string): Words =>
    t`The export ends here, at its limit of ${countWords(limits.eventsExportedMax)} webhooks. For older ones, add before=${before} to the address of the export.`,
  selection: {
    discard: t`Discard selected`,
    none: t`Select at least one webhook.`,
    tooMany: t`Select fewer webhooks.`,
    ask: (count: number): Words => t`Discard ${webhooksWords(count)}?`,
    askEffect: t`Selected webhooks that are waiting or dead letters are deleted with their content. Other webhooks don’t change.`,
    replayed: (count: number): Words => t`${webhooksWords(count)} replayed.`,
    discarded: (count: number): Words => t`${webhooksWords(count)} discarded.`,
    skippedReplay: (count: number): Words =>
      t`${webhooksWords(count)} skipped: only delivered webhooks and dead letters can be replayed.`,
    skippedDiscard: (count: number): Words =>
      t`${webhooksWords(count)} skipped: only waiting webhooks and dead letters can be discarded.`,
  },
  deadLetters: {
    title: t`Dead letters`,
    about: t`Dead letters are no longer retried and are kept for 30 days. You can replay or discard them all at once.`,
    aboutOfFlow: t`Dead letters are no longer retried and are kept for 30 days. You can replay or discard all dead letters of this flow at once.`,
    replayAll: t`Replay all`,
    discardAll: t`Discard all`,
  },
}

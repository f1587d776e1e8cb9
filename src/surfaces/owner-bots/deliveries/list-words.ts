import * as limits from '../../../domain/limits/limits.ts'
import { countWords } from '../../../pages/components/figures.ts'
import { html, plural, type Text, t, type Words } from '../../../pages/html.ts'

const webhooksWords = (count: number) =>
  plural(count, t`${countWords(count)} webhook`, t`${countWords(count)} webhooks`)

/** Hidden by the script, which takes the time in the browser's time zone. */
const inUtc = html`<span data-utc-only>(UTC)</span>`

/** Text for the list of a bot's webhooks. */
export const listWords = {
  since: {
    any: t`Any time`,
    hour: t`Last hour`,
    day: t`Last 24 hours`,
    week: t`Last 7 days`,
  },
  from: t`From ${inUtc}`,
  until: t`To ${inUtc}`,
  /** The script replaces the 0 with the number of selected webhooks. */
  chosen: t`0 selected`,
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
  // A function, because formatting the number while modules load would add 20 ms to every start.
  exportHint: (): Words =>
    t`Exports contain up to ${countWords(limits.eventsExportedMax)} webhooks, without their bodies.`,
  moreCauses: (count: number): Words => plural(count, t`${count} more cause`, t`${count} more causes`),
  selection: {
    ask: (count: number): Words => t`Discard ${webhooksWords(count)}?`,
    replayed: (count: number): Words => t`${webhooksWords(count)} replayed.`,
    discarded: (count: number): Words => t`${webhooksWords(count)} discarded.`,
    skippedReplay: (count: number): Words =>
      t`${webhooksWords(count)} skipped: only delivered webhooks and dead letters can be replayed.`,
    skippedDiscard: (count: number): Words =>
      t`${webhooksWords(count)} skipped: only waiting webhooks and dead letters can be discarded.`,
  },
}

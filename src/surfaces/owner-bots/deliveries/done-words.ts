import type { SelectionOutcome } from '../../../domain/webhooks/deliveries.ts'
import { notice } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { doneNotice } from '../done-notice.ts'
import { listWords } from './list-words.ts'

const words = listWords.selection

/** Returns the flash message for an action on selected webhooks, such as `replayed-2-skipped-1`. */
export function selectionMessage(action: 'replay' | 'discard', { done, skipped }: SelectionOutcome): string {
  return `${action === 'replay' ? 'replayed' : 'discarded'}-${done}-skipped-${skipped}`
}

/** @param message the list's flash message. */
export function deliveriesDone(message: string | undefined): Html | false {
  const [, action, done, skipped] = /^(replayed|discarded)-(\d{1,4})-skipped-(\d{1,4})$/.exec(message ?? '') ?? []
  if (action === undefined) return doneNotice(message)
  const said = action === 'replayed' ? words.replayed : words.discarded
  const left = action === 'replayed' ? words.skippedReplay : words.skippedDiscard
  return notice({
    tone: skipped === '0' ? 'good' : 'warn',
    body: html`<p>${said(Number(done))}</p>${skipped !== '0' && html`<p>${left(Number(skipped))}</p>`}`,
  })
}

import type { Flow } from '../../../domain/bots/flows/flow.ts'
import type { OverlappingKey } from '../../../domain/bots/overlapping-key.ts'
import { choices } from '../../../pages/components/field.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type BotPageView, botTrail } from '../bot-frame.ts'
import { confirmPage } from '../confirm-page.ts'
import { keyQuestionWords as words } from '../key-words.ts'
import { botFrameWords } from '../words.ts'

export interface FlowKeyView extends BotPageView {
  flow: Flow
}

/** Choices for when the current key expires, in the form that creates a new key. */
export const keyBeforeField: Html = choices({
  name: 'key_before',
  label: words.keyBefore.label,
  choose: 'one',
  chosen: ['ends-in-24-hours'],
  among: [
    {
      value: 'ends-in-24-hours',
      label: words.keyBefore.for24Hours,
      hint: words.keyBefore.for24HoursMeans,
    },
    { value: 'ends-now', label: words.keyBefore.endsNow, hint: words.keyBefore.endsNowMeans },
  ],
})

export function newKeyPage({ bot, person, flow }: FlowKeyView): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  const [current, ending] = flow.webhook?.keys ?? []
  return confirmPage({
    person,
    within: [...botTrail(bot, 'flows'), { name: flow.name, href: address }],
    title: current === undefined ? words.createTitle(flow.name) : words.replaceTitle(flow.name),
    effect: html`<p>${words.newKey} ${words.keyIsRequired}</p>${ending !== undefined && html`<p>${words.revokesPrevious(ending.lastFour)}</p>`}`,
    action: `${address}/key`,
    ...(current !== undefined && { fields: keyBeforeField }),
    label: current === undefined ? words.create : words.replace,
    aside: botFrameWords.cancel,
  })
}

export function endKeyPage({ bot, person, flow, key }: FlowKeyView & { key: OverlappingKey }): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  return confirmPage({
    person,
    within: [...botTrail(bot, 'flows'), { name: flow.name, href: address }],
    title: words.revokeTitle,
    effect: html`<p>${words.revokeOfFlow(key.lastFour)}${flow.webhook?.requiresKey && html` ${words.revokedIsRejected}`}</p>`,
    action: `${address}/keys/${key.number}/end`,
    label: words.revoke,
    aside: words.keep,
  })
}

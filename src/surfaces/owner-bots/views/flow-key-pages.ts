import type { Flow, FlowKey } from '../../../domain/bots/flow.ts'
import { choices } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { askOnce } from './ask-once.ts'
import type { BotPageView } from './bot-frame.ts'

export interface FlowKeyView extends BotPageView {
  flow: Flow
}

/** What becomes of the key before, when a new one is made. */
export const keyBeforeField: Html = choices({
  name: 'key_before',
  label: 'The key that is in use',
  choose: 'one',
  chosen: ['ends-in-24-hours'],
  among: [
    {
      value: 'ends-in-24-hours',
      label: 'Works for 24 hours more',
      hint: 'Time to tell the new key to everybody who has the old one.',
    },
    { value: 'ends-now', label: 'Stops working now', hint: 'When somebody has it who should not.' },
  ],
})

export function newKeyPage({ bot, person, flow }: FlowKeyView): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  const [current, ending] = flow.webhook?.keys ?? []
  return askOnce({
    person,
    back: { href: address, name: flow.name },
    title: current === undefined ? `Make a key for ${flow.name}?` : `Replace the key of ${flow.name}?`,
    effect: html`<p>You get the new key, once. It works at once.</p>${
      ending !== undefined &&
      html`<p>The key <code>••••${ending.lastFour}</code>, which was about to end, stops working now.</p>`
    }`,
    action: `${address}/key`,
    ...(current !== undefined && { fields: keyBeforeField }),
    label: current === undefined ? 'Make the key' : 'Replace the key',
    aside: 'Change nothing',
  })
}

export function endKeyPage({ bot, person, flow, key }: FlowKeyView & { key: FlowKey }): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  return askOnce({
    person,
    back: { href: address, name: flow.name },
    title: 'End this key now?',
    effect: html`<p>The key <code>••••${key.lastFour}</code> stops working now. Whoever still sends it is refused with 401.</p>`,
    action: `${address}/keys/${key.number}/end`,
    label: 'End the key',
    aside: 'Let it work on',
  })
}

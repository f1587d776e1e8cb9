import type { RuntimeKey, RuntimeRecord } from '../../../domain/bots/runtime.ts'
import { type Html, html } from '../../../http/html.ts'
import { askOnce } from './ask-once.ts'
import type { BotPageView } from './bot-frame.ts'
import { keyBeforeField } from './flow-key-pages.ts'

export interface RuntimeView extends BotPageView {
  runtime: RuntimeRecord
}

function about({ bot, person }: RuntimeView) {
  const address = `/bots/${bot.id}/runtimes`
  return { person, back: { href: address, name: `Runtimes of ${bot.name}` }, address }
}

export function newRuntimeKeyPage(view: RuntimeView): Html {
  const { runtime } = view
  const { address, ...frame } = about(view)
  const [, ending] = runtime.keys
  return askOnce({
    ...frame,
    title: `Replace the key of ${runtime.name}?`,
    effect: html`<p>You get the new key, once. It works at once.</p>${
      ending !== undefined &&
      html`<p>The key <code>••••${ending.lastFour}</code>, which was about to end, stops working now.</p>`
    }`,
    fields: keyBeforeField,
    action: `${address}/${runtime.id}/key`,
    label: 'Replace the key',
    aside: 'Change nothing',
  })
}

export function endRuntimeKeyPage(view: RuntimeView & { key: RuntimeKey }): Html {
  const { runtime, key } = view
  const { address, ...frame } = about(view)
  return askOnce({
    ...frame,
    title: 'End this key now?',
    effect: html`<p>The key <code>••••${key.lastFour}</code> of ${runtime.name} stops working now, and what is connected with it is cut off.</p>`,
    action: `${address}/${runtime.id}/keys/${key.number}/end`,
    label: 'End the key',
    aside: 'Let it work on',
  })
}

export function removeRuntimePage(view: RuntimeView): Html {
  const { runtime } = view
  const { address, ...frame } = about(view)
  return askOnce({
    ...frame,
    title: `Remove ${runtime.name}?`,
    effect: html`<p>Its keys stop working now, and it is cut off. ${
      runtime.botIds?.length === 1 ? 'The bot' : 'Every bot that it hosts'
    } goes offline unless another runtime hosts it. What it was working on is handed out again.</p>`,
    action: `${address}/${runtime.id}/removal`,
    label: 'Remove the runtime',
    aside: 'Keep it',
  })
}

import type { OverlappingKey } from '../../../domain/bots/overlapping-key.ts'
import type { RuntimeRecord } from '../../../domain/bots/runtimes/runtime.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type BotPageView, botTrail, confirmPage } from '../bot-frame.ts'
import { keyBeforeField, keyQuestionWords as words } from '../key-form.ts'
import { botFrameWords } from '../words.ts'
import { runtimeWords } from './words.ts'

interface RuntimeView extends BotPageView {
  runtime: RuntimeRecord
}

export function newRuntimeKeyPage(view: RuntimeView): Html {
  const { runtime } = view
  const { address, ...frame } = about(view)
  const [, ending] = runtime.keys
  return confirmPage({
    ...frame,
    title: words.replaceTitle(runtime.name),
    effect: html`<p>${words.newKey}</p>${ending !== undefined && html`<p>${words.revokesPrevious(ending.lastFour)}</p>`}`,
    fields: keyBeforeField,
    action: `${address}/${runtime.id}/key`,
    label: words.replace,
    aside: botFrameWords.cancel,
  })
}

export function endRuntimeKeyPage(view: RuntimeView & { key: OverlappingKey }): Html {
  const { runtime, key } = view
  const { address, ...frame } = about(view)
  return confirmPage({
    ...frame,
    title: words.revokeTitle,
    effect: html`<p>${words.revokeOfRuntime(key.lastFour, runtime.name)}</p>`,
    action: `${address}/${runtime.id}/keys/${key.number}/end`,
    label: words.revoke,
    aside: words.keep,
  })
}

export function removeRuntimePage(view: RuntimeView): Html {
  const { removal } = runtimeWords
  const { runtime } = view
  const { address, ...frame } = about(view)
  return confirmPage({
    ...frame,
    title: removal.title(runtime.name),
    effect: html`<p>${runtime.botIds?.length === 1 ? removal.effectOne : removal.effectAll}</p>`,
    action: `${address}/${runtime.id}/removal`,
    label: removal.submit,
    aside: removal.keep,
  })
}

/** Returns what the pages share: the user, the breadcrumbs, and the URL of the bot's runtimes. */
function about({ bot, person }: RuntimeView) {
  const address = `/bots/${bot.id}/runtimes`
  return { person, within: botTrail(bot, 'runtimes'), address }
}

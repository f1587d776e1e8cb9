import type { Flow } from '../../../domain/bots/flows/flow.ts'
import type { OverlappingKey } from '../../../domain/bots/overlapping-key.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type BotPageView, botTrail, confirmPage } from '../bot-frame.ts'
import { keyBeforeField, keyQuestionWords, requirementField } from '../key-form.ts'
import { botFrameWords } from '../words.ts'
import { flowManagementWords } from './words.ts'

interface FlowView extends BotPageView {
  flow: Flow
}

export function newKeyPage({ bot, person, flow }: FlowView): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  const [current, ending] = flow.webhook?.keys ?? []
  const asks = flow.webhook?.requiresKey === false
  return confirmPage({
    person,
    within: [...botTrail(bot, 'flows'), { name: flow.name, href: address }],
    title: current === undefined ? keyQuestionWords.createTitle(flow.name) : keyQuestionWords.replaceTitle(flow.name),
    effect: html`<p>${keyQuestionWords.newKey}</p>${ending !== undefined && html`<p>${keyQuestionWords.revokesPrevious(ending.lastFour)}</p>`}`,
    action: `${address}/key`,
    fields: html`${current !== undefined && keyBeforeField}${asks && requirementField}`,
    label: current === undefined ? keyQuestionWords.create : keyQuestionWords.replace,
    aside: botFrameWords.cancel,
  })
}

/** @param lastFour of the current key. */
export function requireKeyPage({ bot, person, flow, lastFour }: FlowView & { lastFour: string }): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  return confirmPage({
    person,
    within: [...botTrail(bot, 'flows'), { name: flow.name, href: address }],
    title: keyQuestionWords.requireTitle(flow.name),
    effect: html`<p>${keyQuestionWords.requireEffect(lastFour)}</p>`,
    action: `${address}/key-requirement`,
    fields: html`<input type="hidden" name="required" value="yes">`,
    label: keyQuestionWords.require,
    aside: botFrameWords.cancel,
  })
}

export function endKeyPage({ bot, person, flow, key }: FlowView & { key: OverlappingKey }): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  return confirmPage({
    person,
    within: [...botTrail(bot, 'flows'), { name: flow.name, href: address }],
    title: keyQuestionWords.revokeTitle,
    effect: html`<p>${keyQuestionWords.revokeOfFlow(key.lastFour)}${flow.webhook?.requiresKey && html` ${keyQuestionWords.revokedIsRejected}`}</p>`,
    action: `${address}/keys/${key.number}/end`,
    label: keyQuestionWords.revoke,
    aside: keyQuestionWords.keep,
  })
}

export function removeFlowPage({ bot, person, flow }: FlowView): Html {
  const address = `/bots/${bot.id}/flows/${flow.id}`
  return confirmPage({
    person,
    within: [...botTrail(bot, 'flows'), { name: flow.name, href: address }],
    title: flowManagementWords.remove.title(flow.name),
    effect: html`<p>${flowManagementWords.remove.effect}</p><p>${botFrameWords.cannotBeUndone}</p>`,
    action: `${address}/removal`,
    label: flowManagementWords.remove.submit,
    aside: botFrameWords.cancel,
  })
}

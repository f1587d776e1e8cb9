import { button } from '../../../pages/components/button.ts'
import { type Html, html, type Words } from '../../../pages/html.ts'
import type { BotPageView } from '../bot-frame.ts'
import type { DeliveryData } from './delivery-data.ts'
import { deliveryWords as words } from './delivery-words.ts'
import { eventState } from './event-words.ts'

/** Renders the webhook's state, and the buttons for it unless a runtime is processing it. */
export function actionsOf({ bot, event, person, mayReplay }: BotPageView & DeliveryData): Html {
  const shown =
    mayReplay && event.state !== 'leased' && choices(`/bots/${bot.id}/deliveries/${event.id}`, person, event)
  return html`<div class="head-row">${eventState(event)}${shown && html`<div class="buttons">${shown.buttons}</div>`}</div>${shown && html`<p class="soft small">${shown.means}</p>`}`
}

function choices(
  address: string,
  { formToken }: BotPageView['person'],
  { state: is, behind }: DeliveryData['event'],
): { buttons: Html; means: Words } {
  const post = (action: 'replay' | 'try-now', label: Words) =>
    html`<form method="post" action="${address}/${action}"><input type="hidden" name="form_token" value="${formToken}">${button({ label, tone: 'plain' })}</form>`
  const discard = html`<form method="get" action="${address}/discard">${button({ label: words.discard, tone: 'dangerous' })}</form>`
  if (is === 'done') return { buttons: post('replay', words.replay), means: words.replayMeans }
  if (is === 'dead') return { buttons: html`${post('replay', words.replay)}${discard}`, means: words.replayMeans }
  if (behind !== undefined) return { buttons: discard, means: words.discardInLineMeans }
  return { buttons: html`${post('try-now', words.tryNow)}${discard}`, means: words.tryNowMeans }
}

import { type Html, html, type Text } from '../html.ts'

/**
 * `primary` is the one thing a page is for, `quiet` a way aside, `dangerous` what can't be undone.
 * `plain` is for answers of equal weight.
 */
export type ButtonTone = 'primary' | 'plain' | 'quiet' | 'dangerous'

export interface Button {
  label: Text
  tone: ButtonTone
  /** Sent with the form if this button submits it. */
  name?: string
  value?: string
  small?: boolean
}

/** Sends the form it stands in. */
export function button({ label, tone, name, value, small }: Button): Html {
  const says = name !== undefined && html` name="${name}" value="${value ?? ''}"`
  return html`<button type="submit" class="${tone}${small && ' small'}"${says}>${label}</button>`
}

/** A link that looks like a button: leads somewhere and changes nothing. */
export function linkButton({ label, tone, href }: { label: Text; tone: ButtonTone; href: string }): Html {
  return html`<a class="button ${tone}" href="${href}">${label}</a>`
}

/** Buttons side by side, the first one the primary; one below the other on a phone. */
export function buttonRow(...buttons: (Html | false)[]): Html {
  return html`<div class="buttons">${buttons}</div>`
}

/** Two answers of the same size and tone, so that neither is suggested. */
export function equalButtons(first: Omit<Button, 'tone'>, second: Omit<Button, 'tone'>): Html {
  return html`<div class="buttons equal">${button({ ...first, tone: 'plain' })}${button({ ...second, tone: 'plain' })}</div>`
}

import { type Content, formTokenField, type Html, html, type Text, t } from '../html.ts'

/**
 * Visual weight of a button. `primary` is for a page's main action, `quiet` for actions that leave the page, and
 * `dangerous` for actions that can't be undone. `plain` is for actions of equal weight.
 */
type ButtonTone = 'primary' | 'plain' | 'quiet' | 'dangerous'

interface Button {
  label: Text
  tone: ButtonTone
  /** Name and value sent with the form if this button submits it. */
  name?: string
  value?: string
  small?: boolean
  /** Submits the form to this URL instead of the form's own. */
  action?: string
}

/** Renders a button that submits its form. */
export function button({ label, tone, name, value, small, action }: Button): Html {
  const says = name !== undefined && html` name="${name}" value="${value ?? ''}"`
  const leads = action !== undefined && html` formaction="${action}"`
  return html`<button type="submit" class="${tone}${small && ' small'}"${says}${leads}>${label}</button>`
}

/** Renders a link that looks like a button. It only navigates and changes nothing. */
export function linkButton(link: { label: Text; tone: ButtonTone; href: Text; small?: boolean }): Html {
  const { label, tone, href, small } = link
  return html`<a class="button ${tone}${small && ' small'}" href="${href}">${label}</a>`
}

/** Renders buttons side by side with the primary one first. On a phone, they are stacked. */
export function buttonRow(...buttons: (Html | false)[]): Html {
  return html`<div class="buttons">${buttons}</div>`
}

/** Renders a form's main button, and the link that leaves the form. */
export function submitOrCancel(label: Text, back: string): Html {
  return buttonRow(button({ label, tone: 'primary' }), linkButton({ label: t`Cancel`, href: back, tone: 'quiet' }))
}

/** Renders a form that changes something, with the token that every such form needs. */
export function postForm(
  form: { action: string; style?: string; novalidate?: boolean; attributes?: Html },
  ...content: Content[]
): Html {
  const { action, style, novalidate, attributes } = form
  return html`<form${style !== undefined && html` class="${style}"`} method="post" action="${action}"${novalidate && html` novalidate`}${attributes}>${formTokenField}
${content}</form>`
}

import { type Html, html, t, type Words } from '../../../pages/html.ts'

export const credentialsWords = {
  once: {
    registered: t`Application registered`,
    rotated: t`Client secret rotated`,
    added: t`Client secret created`,
  },
}

/** Text for confirmation pages, and for the page that creates another secret. */
export const secretPagesWords = {
  rotateEffect: (lastFour: readonly string[]): Words =>
    t`All current secrets stop working immediately: ${masked(lastFour)}. The new secret is shown only once.`,
  revokeEffect: (ends: string, stays: string): Words =>
    t`The secret ${masked([ends])} stops working immediately. ${masked([stays])} keeps working.`,
}

function masked(lastFour: readonly string[]): Html {
  return html`${lastFour.map((end, index) => html`${index > 0 && ', '}<code>••••${end}</code>`)}`
}

import { type Content, type Html, html, plural, type Text, t, type Words } from '../html.ts'

/** Renders failures with the same cause, as an item of a list: the cause, how often it occurred, and what can be done. */
export function failureGroup({
  cause,
  times,
  about,
  more,
}: {
  cause: Text
  times: Words
  about: Html
  more?: Content
}): Html {
  return html`<li><div class="head"><p><strong>${cause}</strong></p><span class="count">${times}</span></div>
<p class="meta soft small">${about}</p>
${more}</li>`
}

/** Says how often something occurred. */
export function timesWords(count: number): Words {
  return plural(count, t`Once`, t`${count} times`)
}

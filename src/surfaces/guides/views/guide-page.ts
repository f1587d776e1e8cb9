import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import type { Guide } from '../guide-book.ts'
import type { Reader } from '../reader.ts'
import { guideWords as words } from '../words.ts'
import { guidesFrame } from './guides-frame.ts'

/** Guides with at most this many sections have no table of contents, because they fit on a screen or two. */
const partsWithoutContents = 3

/** @param markup the rendered guide without its title. */
export function guidePage(view: {
  person: Person | undefined
  guide: Guide
  markup: Html
  reader: Reader | undefined
}): Html {
  const { person, guide, markup, reader } = view
  const address = `/guides/${guide.entry.name}`
  const parts = guide.parts.filter(({ depth }) => depth === 2)
  return page({
    ...guidesFrame(person),
    trail: [{ name: words.title, href: '/guides' }, { name: guide.title }],
    title: guide.title,
    head: html`<link rel="alternate" type="text/markdown" href="${address}.md">`,
    body: html`<h1 lang="en">${guide.title}</h1>
${words.englishOnly}
${valuesShown(guide, reader)}
${
  parts.length > partsWithoutContents &&
  html`<nav class="contents" aria-labelledby="contents-title"><h2 id="contents-title">${words.onThisPage}</h2><ul lang="en">${parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`
}
<article class="guide" lang="en">${markup}</article>
<p><a href="${address}.md">${words.markdown}</a></p>`,
  })
}

/** Renders the names of the application and bot whose values replace the guide's placeholders. */
function valuesShown({ text }: Guide, reader: Reader | undefined): Html | false {
  const application = text.includes('{client_id}') ? reader?.application?.name : undefined
  const bot = text.includes('{botId}') ? reader?.bot?.name : undefined
  if (application === undefined && bot === undefined) return false
  return html`<p class="soft">${words.valuesOf(application, bot)}</p>`
}

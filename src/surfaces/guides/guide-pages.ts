import { button } from '../../pages/components/button.ts'
import { emptyState } from '../../pages/components/card.ts'
import { documentationHead } from '../../pages/components/navigation.ts'
import { textField } from '../../pages/form.ts'
import { type Html, html, t } from '../../pages/html.ts'
import { type PageFrame, type Person, page } from '../../pages/page.ts'
import { referencePlace } from '../../pages/places.ts'
import { guideGroups } from './catalogue.ts'
import type { Guide } from './guide-book.ts'
import { type Found, pathOf } from './search.ts'
import { guideWords as words } from './words.ts'

/** A signed-in reader's newest application and newest bot. Never contains a secret. */
export interface Reader {
  application: { name: string; clientId: string } | undefined
  bot: { name: string; id: string; path: string | undefined } | undefined
}

/** Guides with at most this many sections have no table of contents, because they fit on a screen or two. */
const partsWithoutContents = 3

/** @param markup the rendered guide without its title. */
export function guidePage(person: Person | undefined, guide: Guide, markup: Html, reader: Reader | undefined): Html {
  const address = `/guides/${guide.entry.name}`
  const parts = guide.parts.filter(({ depth }) => depth === 2)
  return page({
    ...guidesFrame(person),
    trail: [{ name: t`Guides`, href: '/guides' }, { name: guide.title }],
    title: guide.title,
    head: html`<link rel="alternate" type="text/markdown" href="${address}.md">`,
    body: html`<h1 lang="en">${guide.title}</h1>
${words.englishOnly}
${valuesShown(guide, reader)}
${
  parts.length > partsWithoutContents &&
  html`<nav class="contents" aria-labelledby="contents-title"><h2 id="contents-title">${t`On this page`}</h2><ul lang="en">${parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`
}
<article class="guide" lang="en">${markup}</article>
<p><a href="${address}.md">${t`View as Markdown`}</a></p>`,
  })
}

function valuesShown({ text }: Guide, reader: Reader | undefined): Html | false {
  const application = text.includes('{client_id}') ? reader?.application?.name : undefined
  const bot = text.includes('{botId}') ? reader?.bot?.name : undefined
  if (application === undefined && bot === undefined) return false
  return html`<p class="soft">${words.valuesOf(application, bot)}</p>`
}

/** @param search the search text; '' shows the list of guides. */
export function guidesPage(
  person: Person | undefined,
  guides: readonly Guide[],
  search: string,
  found: readonly Found[],
): Html {
  return page({
    ...guidesFrame(person),
    trail: [{ name: t`Guides` }],
    title: search === '' ? t`Guides` : t`Results for “${search}”`,
    body: html`${documentationHead(t`Guides`, '/guides')}
${words.englishOnly}
<form method="get" action="/guides" role="search" class="guide-search">
${textField({ label: t`Search the guides`, autocomplete: 'off' }).show('q', search)}
<div class="buttons">${button({ label: t`Search`, tone: 'plain' })}</div></form>
${search === '' ? html`${guideGroups.map((group) => groupOf(group, guides))}<p>${t.html`Find the runtime clients and the command line under <a href="/packages">Packages</a>.`}</p>` : results(search, found)}`,
  })
}

function groupOf(group: (typeof guideGroups)[number], guides: readonly Guide[]): Html {
  const own = guides.filter(({ entry }) => entry.group === group)
  return html`<section class="stack tight" aria-labelledby="${group}-title"><h2 id="${group}-title">${words.groups[group]}</h2>
<ul class="guides">${own.map(
    ({ entry, title }) =>
      html`<li><a href="/guides/${entry.name}" lang="en">${title}</a> <span class="soft">${words.about[entry.name]}</span></li>\n`,
  )}</ul></section>`
}

function results(search: string, found: readonly Found[]): Html {
  return html`<section class="stack" aria-labelledby="results-title"><h2 id="results-title">${t`Results for “${search}”`}</h2>
${
  found.length === 0
    ? emptyState({
        title: t`Nothing found`,
        body: html`<p>${t`Results must contain every word you enter. Try fewer words.`}</p>`,
      })
    : html`<ul class="found" lang="en">${found.map(result)}</ul>`
}
<p><a href="/guides">${t`All guides`}</a></p></section>`
}

function result({ guide, part, excerpt }: Found): Html {
  const { title } = part
  return html`<li><a href="${pathOf(guide, part)}">${guide.title}${title !== '' && ` › ${title}`}</a><p class="soft">${excerpt.map((piece, index) => (index % 2 === 1 ? html`<mark>${piece}</mark>` : piece))}</p></li>\n`
}

function guidesFrame(person: Person | undefined): Pick<PageFrame, 'place' | 'person' | 'width'> {
  return { place: referencePlace, person, width: 'wide' }
}

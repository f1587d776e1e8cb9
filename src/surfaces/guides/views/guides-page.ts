import { button } from '../../../pages/components/button.ts'
import { emptyState } from '../../../pages/components/card.ts'
import { textField } from '../../../pages/components/field.ts'
import { documentationTabs } from '../../../pages/components/navigation.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { guideGroups } from '../catalogue.ts'
import type { Guide } from '../guide-book.ts'
import { type Found, pathOf } from '../search.ts'
import { guideWords as words } from '../words.ts'
import { guidesFrame } from './guides-frame.ts'

export function guidesPage(view: {
  person: Person | undefined
  guides: readonly Guide[]
  /** Search text; '' shows the list of guides. */
  search: string
  found: readonly Found[]
}): Html {
  const { person, guides, search, found } = view
  return page({
    ...guidesFrame(person),
    trail: [{ name: words.title }],
    title: search === '' ? words.title : words.results(search),
    body: html`<h1>${words.title}</h1>
${documentationTabs('/guides')}
${words.englishOnly}
<form method="get" action="/guides" role="search" class="guide-search">
${textField({ name: 'q', label: words.searchField, autocomplete: 'off', value: search })}
<div class="buttons">${button({ label: words.search, tone: 'plain' })}</div></form>
${search === '' ? html`${guideGroups.map((group) => groupOf(group, guides))}<p>${words.packages}</p>` : results(search, found)}`,
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
  return html`<section class="stack" aria-labelledby="results-title"><h2 id="results-title">${words.results(search)}</h2>
${
  found.length === 0
    ? emptyState({ title: words.nothingFound, body: html`<p>${words.nothingFoundHint}</p>` })
    : html`<ul class="found" lang="en">${found.map(result)}</ul>`
}
<p><a href="/guides">${words.allGuides}</a></p></section>`
}

function result({ guide, part, excerpt }: Found): Html {
  const { title } = part
  return html`<li><a href="${pathOf(guide, part)}">${guide.title}${title !== '' && ` › ${title}`}</a><p class="soft">${excerpt.map((piece, index) => (index % 2 === 1 ? html`<mark>${piece}</mark>` : piece))}</p></li>\n`
}

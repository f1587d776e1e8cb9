import { ConcurrencyLimit } from '../../domain/concurrency-limit.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { button, emptyState } from '../../pages/components/elements.ts'
import { type IconName, icon } from '../../pages/components/pictures.ts'
import { textField } from '../../pages/form.ts'
import { showPage } from '../../pages/form-routes.ts'
import { type Html, html, plural, t, type Words } from '../../pages/html.ts'
import { type Person, page, sendPage } from '../../pages/page.ts'
import { type PageGuard, recentObjects } from '../../pages/page-guard.ts'
import { searchPlace } from '../../pages/places.ts'
import { type Found, find, type SearchServices } from './find.ts'
import type { Hit, HitKind } from './hits.ts'

/** `GET /search`: finds pages of the signed-in user. On both origins, for the script of each origin's pages. */
export function searchSurface(services: SearchServices & { guard: PageGuard }): Mount {
  return (app) => {
    const turns = new ConcurrencyLimit(limits.siteSearchesAtOnce)
    showPage(app, '/search', services.guard.signedIn, async ({ session, person, request, reply }) => {
      const { q } = request.query as Record<string, unknown>
      const search = typeof q === 'string' ? q.trim().slice(0, limits.siteSearchMaxCharacters) : ''
      const asked = { search, recent: recentObjects(request) }
      const found = await turns.run(() => find(services, session.userId, asked, person.sites), session.userId)
      return sendPage(reply, searchPage({ person, search, ...found }))
    })
  }
}

const kinds: Record<HitKind, { drawn: IconName; word: Words }> = {
  application: { drawn: 'window', word: t`Application` },
  bot: { drawn: 'bot', word: t`Bot` },
  flow: { drawn: 'flow', word: t`Flow` },
  action: { drawn: 'arrow', word: t`Action` },
  page: { drawn: 'page', word: t`Page` },
  guide: { drawn: 'book', word: t`Guide` },
  event: { drawn: 'mail', word: t`Webhook` },
}

/** Renders the search page. The script copies the elements with IDs from it and shows them above any other page. */
function searchPage(view: Found & { person: Person; search: string }): Html {
  const { person, search, hits, more } = view
  const count = hits.length
  return page({
    place: searchPlace,
    person,
    title: search === '' ? t`Search` : t`Results for “${search}”`,
    body: html`<h1>${t`Search`}</h1>
<form method="get" action="/search" role="search" class="search">
${textField({ label: t`Name, ID, page or action`, hint: t`Searches your applications, bots and flows, their pages and actions, the guides, and webhooks by ID.`, autocomplete: 'off', autofocus: search === '' }).show('q', search)}
<div class="buttons">${button({ label: t`Search`, tone: 'plain' })}</div></form>
<section class="stack tight" aria-labelledby="hits-title"><h2 id="hits-title">${search === '' ? t`Go to` : t`Results`}</h2>
${search !== '' && count > 0 && html`<p class="soft small" role="status" id="hits-count">${more ? t`First ${count} results` : plural(count, t`1 result`, t`${count} results`)}</p>`}
${
  count === 0
    ? html`<div id="hits">${emptyState({ title: t`Nothing found`, body: html`${t.html`<p>Results must contain every word you enter. To find a webhook, enter its whole ID.</p>`}` })}</div>`
    : html`<ul class="hits" id="hits">${hits.map(hitItem)}</ul>`
}</section>`,
  })
}

function hitItem({ kind, title, where, href }: Hit): Html {
  const { drawn, word } = kinds[kind]
  const around = where.map((each, at) => html`${at > 0 && ' › '}${each}`)
  return html`<li><a href="${href}">${icon(drawn)}<span class="words"><span class="name"${kind === 'guide' && html` lang="en"`}>${title}</span>${where.length > 0 && html` <span class="soft small">${around}</span>`}</span><span class="soft small">${word}</span></a></li>
`
}

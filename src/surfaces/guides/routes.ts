import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { UserId } from '../../domain/ids-and-secrets.ts'
import { sourceLanguage } from '../../domain/language.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { button, documentationHead, emptyState } from '../../pages/components/elements.ts'
import { textField } from '../../pages/form.ts'
import { type Html, html, t, Words } from '../../pages/html.ts'
import { type PageFrame, type Person, page, sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { referencePlace } from '../../pages/places.ts'
import { guideGroups } from './catalogue.ts'
import type { Guide, GuideBook } from './guide-book.ts'
import { guideUrl, type ServiceValues } from './guide-book.ts'
import { type Found, pathOf, searchGuides } from './search.ts'

type GuideServices = ReaderServices & { guard: PageGuard; book: GuideBook }

/** Registers `/guides`, each guide as a page and as Markdown, and `/llms.txt`. None of them requires a session. */
export function guidesSurface(services: GuideServices): Mount {
  const { guard, book } = services

  return (app: FastifyInstance) => {
    app.get('/guides', async (request, reply) => {
      const { q } = request.query as Record<string, unknown>
      const search = typeof q === 'string' ? q.trim().slice(0, limits.guideSearchMaxCharacters) : ''
      const guides = book.all()
      const person = await guard.person(reply)
      return sendPage(reply, guidesPage(person, guides, search, await searchGuides(guides, search)))
    })

    app.get('/guides/:name', async (request, reply) => {
      const [, name = '', asMarkdown] = /^(.+?)(\.md)?$/s.exec((request.params as { name: string }).name) ?? []
      const guide = book.find(name)
      if (guide === undefined) return reply.callNotFound()
      if (asMarkdown !== undefined) return sendText(reply, 'text/markdown', guide.text)
      const session = await guard.sessions.current(request)
      const reader = session && (await readerOf(services, session.userId))
      const { application, bot } = reader ?? {}
      const markup = book.render(guide, { clientId: application?.clientId, botId: bot?.id, path: bot?.path })
      return sendPage(reply, guidePage(await guard.person(reply), guide, markup, reader))
    })

    app.get('/llms.txt', async (_request, reply) => sendText(reply, 'text/plain', llmsTxt(book.all(), book.service)))
  }
}

/** Sends text that shared caches may store, because it is the same for all readers. */
function sendText(reply: FastifyReply, mediaType: string, text: string): FastifyReply {
  return reply
    .headers({
      'content-type': `${mediaType}; charset=utf-8`,
      'cache-control': `public, max-age=${limits.guideCacheSeconds}`,
      'x-content-type-options': 'nosniff',
    })
    .send(text)
}

interface ReaderServices {
  applications: Pick<Applications, 'owned'>
  bots: Pick<Bots, 'ownStatus' | 'flows'>
}

async function readerOf({ applications, bots }: ReaderServices, userId: UserId): Promise<Reader> {
  const [[application], listed] = await Promise.all([applications.owned.list(userId), bots.ownStatus.list(userId)])
  const bot = listed.at(-1)?.bot
  const flows = bot === undefined ? [] : await bots.flows.list(bot.id)
  const webhooks = flows.flatMap((flow) => flow.webhook ?? [])
  // Prefer a webhook that accepts the guides' example requests unchanged.
  const open = webhooks.find(({ requiresKey, signature }) => !requiresKey && signature === null)
  return { application, bot: bot && { name: bot.name, id: bot.id, path: (open ?? webhooks[0])?.path } }
}

/** Returns an index of the guides for language models, in the format of llmstxt.org. */
function llmsTxt(guides: readonly Guide[], { baseUrl, apiUrl, portalUrl }: ServiceValues): string {
  const english = (text: Words | string) => (typeof text === 'string' ? text : text.in('en'))
  const item = ({ entry, title }: Guide) => `- [${title}](${guideUrl(portalUrl, entry.name)}): ${english(entry.about)}`
  const sections = Object.entries(guideGroups).map(
    ([group, title]) =>
      `## ${english(title)}\n\n${guides
        .filter(({ entry }) => entry.group === group)
        .map(item)
        .join('\n')}\n`,
  )
  return `# Gatehouse

> OAuth 2.0 sign-in (authorization code grant), a webhook gateway and the status of chat bots. Developers register applications at ${portalUrl}.

The identity service is ${baseUrl}, the webhook gateway is ${apiUrl}, the developer portal is ${portalUrl}.

${sections.join('\n')}
## API descriptions

- [OpenAPI](${apiUrl}/openapi.json): OpenAPI 3.1 of the OAuth endpoints
- [OpenAPI of the API for owners](${baseUrl}/api/openapi.json): OpenAPI 3.1 of deliveries, flows, keys, runtimes and logs
- [Server metadata](${baseUrl}/.well-known/oauth-authorization-server): endpoints, scopes and methods (RFC 8414)
`
}

/** A signed-in reader's newest application and newest bot. Never contains a secret. */
interface Reader {
  application: { name: string; clientId: string } | undefined
  bot: { name: string; id: string; path: string | undefined } | undefined
}

/** Guides with at most this many sections have no table of contents, because they fit on a screen or two. */
const partsWithoutContents = 3

/** @param markup the rendered guide without its title. */
function guidePage(person: Person | undefined, guide: Guide, markup: Html, reader: Reader | undefined): Html {
  const address = `/guides/${guide.entry.name}`
  const parts = guide.parts.filter(({ depth }) => depth === 2)
  return page({
    ...guidesFrame(person),
    trail: [{ name: t`Guides`, href: '/guides' }, { name: guide.title }],
    title: guide.title,
    head: html`<link rel="alternate" type="text/markdown" href="${address}.md">`,
    body: html`<h1 lang="en">${guide.title}</h1>
${englishOnly}
${valuesShown(guide, reader)}
${
  parts.length > partsWithoutContents &&
  html`<nav class="contents" aria-labelledby="contents-title"><h2 id="contents-title">${t`On this page`}</h2><ul lang="en">${parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`
}
<article class="guide" lang="en">${markup}</article>
<p><a href="${address}.md">${t`View as Markdown`}</a></p>`,
  })
}

const englishOnly = new Words((language) =>
  language === sourceLanguage ? '' : html`<p class="soft">${t`The guides are only in English.`}</p>`,
)

function valuesShown({ text }: Guide, reader: Reader | undefined): Html | false {
  const application = text.includes('{client_id}') ? reader?.application?.name : undefined
  const bot = text.includes('{botId}') ? reader?.bot?.name : undefined
  if (application === undefined && bot === undefined) return false
  const said =
    bot === undefined
      ? t.html`The examples use the client ID of <strong>${application}</strong>.`
      : application === undefined
        ? t.html`The examples use the bot <strong>${bot}</strong>.`
        : t.html`The examples use the client ID of <strong>${application}</strong> and the bot <strong>${bot}</strong>.`
  return html`<p class="soft">${said}</p>`
}

/** @param search the search text; '' shows the list of guides. */
function guidesPage(
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
${englishOnly}
<form method="get" action="/guides" role="search" class="guide-search">
${textField({ label: t`Search the guides`, autocomplete: 'off' }).show('q', search)}
<div class="buttons">${button({ label: t`Search`, tone: 'plain' })}</div></form>
${search === '' ? html`${Object.entries(guideGroups).map(([group, title]) => groupOf(group, title, guides))}<p>${t.html`Find the runtime clients and the command line under <a href="/packages">Packages</a>.`}</p>` : results(search, found)}`,
  })
}

function groupOf(group: string, groupTitle: Words, guides: readonly Guide[]): Html {
  const own = guides.filter(({ entry }) => entry.group === group)
  return html`<section class="stack tight" aria-labelledby="${group}-title"><h2 id="${group}-title">${groupTitle}</h2>
<ul class="guides">${own.map(
    ({ entry, title }) =>
      html`<li><a href="/guides/${entry.name}" lang="en">${title}</a> <span class="soft">${entry.about}</span></li>\n`,
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

import type { FastifyInstance, FastifyReply } from 'fastify'
import { guideCacheSeconds, guideSearchMaxCharacters } from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'
import type { GuideBook } from './guide-book.ts'
import { llmsTxt } from './llms-txt.ts'
import { type ReaderServices, readerOf } from './reader.ts'
import { searchGuides } from './search.ts'
import { guidePage } from './views/guide-page.ts'
import { guidesPage } from './views/guides-page.ts'

export type GuideServices = ReaderServices & {
  guard: PageGuard
  sessions: BrowserSessions
  book: GuideBook
}

/** Registers `/guides`, each guide as a page and as Markdown, and `/llms.txt`. None of them requires a session. */
export function guidesSurface(services: GuideServices): Mount {
  const { guard, sessions, book } = services

  return (app: FastifyInstance) => {
    app.get('/guides', async (request, reply) => {
      const { q } = request.query as Record<string, unknown>
      const search = typeof q === 'string' ? q.trim().slice(0, guideSearchMaxCharacters) : ''
      const guides = book.all()
      const person = await guard.person(request, reply)
      return sendPage(reply, guidesPage({ person, guides, search, found: await searchGuides(guides, search) }))
    })

    app.get('/guides/:name', async (request, reply) => {
      const [, name = '', asMarkdown] = /^(.+?)(\.md)?$/s.exec((request.params as { name: string }).name) ?? []
      const guide = book.find(name)
      if (guide === undefined) return reply.callNotFound()
      if (asMarkdown !== undefined) return sendText(reply, 'text/markdown', guide.text)
      const session = await sessions.current(request)
      const reader = session && (await readerOf(services, session.userId))
      const { application, bot } = reader ?? {}
      const markup = book.render(guide, { clientId: application?.clientId, botId: bot?.id, path: bot?.path })
      return sendPage(reply, guidePage({ person: await guard.person(request, reply), guide, markup, reader }))
    })

    app.get('/llms.txt', async (_request, reply) => sendText(reply, 'text/plain', llmsTxt(book.all(), book.service)))
  }
}

/** Sends text that shared caches may store, because it is the same for all readers. */
function sendText(reply: FastifyReply, mediaType: string, text: string): FastifyReply {
  return reply
    .headers({
      'content-type': `${mediaType}; charset=utf-8`,
      'cache-control': `public, max-age=${guideCacheSeconds}`,
      'x-content-type-options': 'nosniff',
    })
    .send(text)
}

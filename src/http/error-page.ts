import { randomInt } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { StoreUnavailable } from '../domain/store-unavailable.ts'
import { linkButton } from './components/button.ts'
import { FormRefusal } from './form-token.ts'
import { type Html, html } from './html.ts'
import { type PageFrame, page, sendPage } from './page.ts'

export interface ErrorWords {
  /** What happened, as the page's title. */
  what: string
  /** Why, and what to do about it. */
  why: Html | string
  whatToDo: Html | string
  /** Buttons that lead on. There is always a way on. */
  ways?: readonly Html[]
  /** Ties what a reader sees to what the log knows; see {@link newErrorId}. */
  errorId?: string
}

/** A page that says no: what happened, why, what to do, and a short id that the log has too. */
export function errorPage(words: ErrorWords, frame: Pick<PageFrame, 'place' | 'places' | 'person'>): Html {
  const { what, why, whatToDo, ways, errorId } = words
  return page({
    ...frame,
    title: what,
    body: html`<div class="stack"><h1>${what}</h1>${paragraph(why)}${paragraph(whatToDo)}</div>
${ways !== undefined && html`<div class="buttons">${ways}</div>`}
${errorId !== undefined && html`<p class="soft small">Error id <code>${errorId}</code>. Whoever runs this service finds the details under it.</p>`}`,
  })
}

const letters = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Eight letters and digits without those that look alike, to be read out over the phone. Log it with the details. */
export function newErrorId(): string {
  const letter = () => letters[randomInt(letters.length)]
  const four = () => `${letter()}${letter()}${letter()}${letter()}`
  return `${four()}-${four()}`
}

/**
 * Makes every failure that a surface on this app does not answer itself a page: forms that were not ours,
 * addresses that lead nowhere, a store that is away, and faults, which are logged with the id shown.
 * Call it before surfaces are mounted; those with bodies of their own override it.
 */
export function answerErrorsAsPages(app: FastifyInstance, place: PageFrame['place']): void {
  const home = linkButton({ label: `Go to ${place.name}`, href: place.href, tone: 'plain' })

  app.setNotFoundHandler((_request, reply) =>
    sendPage(reply, errorPage({ ...nothingHere, ways: [home] }, { place }), { status: 404 }),
  )

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const errorId = newErrorId()
    const again = linkButton({ label: 'Open the page again', href: formAddress(request), tone: 'plain' })
    if (error instanceof FormRefusal) {
      request.log.info({ errorId, reason: error.reason }, 'form refused')
      return sendPage(reply, errorPage({ ...formRefused, ways: [again], errorId }, { place }), { status: 403 })
    }
    if (error instanceof StoreUnavailable) {
      request.log.error({ errorId, err: error }, 'page failed: the store is unavailable')
      reply.header('retry-after', '5')
      return sendPage(reply, errorPage({ ...dataAway, ways: [again], errorId }, { place }), { status: 503 })
    }
    if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
      request.log.info({ errorId, err: error }, 'page request refused')
      const words = { ...requestMalformed, ways: [again, home], errorId }
      return sendPage(reply, errorPage(words, { place }), { status: error.statusCode })
    }
    request.log.error({ errorId, err: error }, 'page failed')
    return sendPage(reply, errorPage({ ...fault, ways: [again, home], errorId }, { place }), { status: 500 })
  })
}

const nothingHere: ErrorWords = {
  what: 'There is nothing at this address',
  why: 'The address may be mistyped, or what stood here may be gone.',
  whatToDo: 'Check the address, or start from the front.',
}
const formRefused: ErrorWords = {
  what: 'This form is out of date',
  why: 'The form was opened in another browser, its cookie is gone, or another site sent it. Nothing was changed.',
  whatToDo: 'Open the page again and send the form from there. If it keeps happening, allow cookies for this site.',
}
const dataAway: ErrorWords = {
  what: 'The service can not reach its data right now',
  why: 'Its database does not answer. Nothing was changed.',
  whatToDo: 'Wait a moment, then try again.',
}
const requestMalformed: ErrorWords = {
  what: 'This request can not be read',
  why: 'What the browser sent is larger than a form may be, or not a form at all. Nothing was changed.',
  whatToDo: 'Open the page again and send the form from there.',
}
const fault: ErrorWords = {
  what: 'Something failed on our side',
  why: 'The service ran into a fault that is not yours.',
  whatToDo: 'Try again. If it persists, tell whoever runs this service the error id.',
}

/** Where the form stood: the page that was posted from, or the address asked for. */
function formAddress(request: FastifyRequest): string {
  const { referer } = request.headers
  if (request.method !== 'GET' && referer !== undefined && URL.canParse(referer)) {
    const from = new URL(referer)
    if (from.host === request.host) return from.pathname.replace(/^\/+/, '/') + from.search
  }
  return request.method === 'GET' ? request.url.replace(/^\/+/, '/') : '/'
}

function paragraph(words: Html | string): Html {
  return typeof words === 'string' ? html`<p>${words}</p>` : words
}

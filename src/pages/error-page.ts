import { randomInt } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { AccessEnded, TooManyActs } from '../domain/audit/audit.ts'
import * as limits from '../domain/limits/limits.ts'
import { StoreUnavailable } from '../domain/store-unavailable.ts'
import type { MalformedRequest } from '../http/new-app.ts'
import type { RawResponse } from '../http/raw-exchange.ts'
import { BodyTooLarge, Overloaded } from '../http/request-body.ts'
import type { Refusals } from '../http/request-metrics.ts'
import { clientAddressOf, languageCookie, languageOf, refererPath, targetPath } from '../http/request-origin.ts'
import { linkButton } from './components/elements.ts'
import { FormRefusal } from './form-posts.ts'
import { Html, html, plural, type Text, t } from './html.ts'
import { markAttemptPage, namesAttempt, type PageFrame, page, rawPage, sendPage } from './page.ts'
import type { PageGuard } from './page-guard.ts'
import type { Place } from './places.ts'

interface ErrorWords {
  /** One sentence that says what happened. It is also the page's title. */
  what: Text
  why: Text
  whatToDo: Text
  ways?: readonly Html[]
  /** Shown to the user and logged; see {@link newErrorId}. */
  errorId?: string | undefined
}

/** Renders an error page: what happened, why, what to do, and an ID that is also in the log. */
export function errorPage(words: ErrorWords, frame: Pick<PageFrame, 'place' | 'trail' | 'person' | 'formToken'>): Html {
  const { what, why, whatToDo, ways, errorId } = words
  return page({
    ...frame,
    place: { section: null, ...frame.place },
    title: what,
    body: html`<div class="stack"><h1>${what}</h1>${paragraph(why)}${paragraph(whatToDo)}</div>
${ways !== undefined && html`<div class="buttons">${ways}</div>`}
${errorId !== undefined && html`<p class="soft small">${t.html`Error ID <code>${errorId}</code>. The operator can look up the details with it.`}</p>`}`,
  })
}

const errorPageWords = {
  nothingHere: {
    what: t`Page not found`,
    why: t`The URL may be mistyped, or the page was removed.`,
    whatToDo: t`Check the URL.`,
  },
  formRefused: {
    what: t`This form is out of date`,
    why: t`The form was opened in another browser, or its cookie was deleted. Nothing was changed.`,
    whatToDo: t`Open the page again and submit the form there. If this keeps happening, allow cookies for this site.`,
  },
  formFromElsewhere: {
    what: t`Another site sent this form`,
    why: t`Only forms of this service’s own pages are accepted. Nothing was changed.`,
    whatToDo: t`Open the page again and submit the form there.`,
  },
  otherAddress: ({ received, expected, setting }: { received: string; expected: string; setting: string }) => ({
    what: t`This service expects another address`,
    why: t.html`The form came from <code>${received}</code>, but the service is set up for <code>${expected}</code>. Nothing was changed.`,
    whatToDo: t.html`Open <a href="${expected}">${expected}</a> instead. If that doesn’t work, tell the operator that <code>${setting}</code> must be the address that users open.`,
  }),
  tooManyActs: (seconds: number) => ({
    what: t`Too many changes`,
    why: t`You have made too many changes in a short time. Nothing was changed.`,
    whatToDo: plural(seconds, t`Try again in ${seconds} second.`, t`Try again in ${seconds} seconds.`),
  }),
  signedOut: {
    what: t`Signed out`,
    why: t`Your session ended before the change was saved. Nothing was changed.`,
    whatToDo: t`Sign in and try again.`,
  },
  dataAway: {
    what: t`The service is temporarily unavailable`,
    why: t`The service can’t read or write its data.`,
    whatToDo: t`Wait a moment, then try again.`,
  },
  overloaded: t`Too much data is arriving at once. Nothing was changed.`,
  requestMalformed: {
    what: t`Invalid form data`,
    why: t`Your browser sent too much data, or something other than a form. Nothing was changed.`,
    whatToDo: t`Open the page again and submit the form there.`,
  },
  cookiesTooLarge: (host: string) => ({
    what: t`Your browser sends too many cookies`,
    why: t`The cookies for ${host} are larger than 60 kB. They include those of other programs on this host, also on other ports.`,
    whatToDo: t`Delete the cookies for ${host} in your browser, or use a private window. Then open the page again.`,
  }),
  urlTooLong: {
    what: t`This URL is too long`,
    why: t`The URL and the cookies together can have 60 kB, and the URL 1,000 parameters.`,
    whatToDo: t`Go back to the page that led here. If you develop it, shorten the URL.`,
  },
  unreadable: {
    what: t`Unreadable request`,
    why: t`What arrived is not valid HTTP. A proxy may have changed it.`,
    whatToDo: t`Open the page again. If it keeps happening, tell the operator.`,
  },
  fault: {
    what: t`Something went wrong`,
    why: t`An internal error occurred. It isn’t your fault.`,
    whatToDo: t`Try again. If it keeps happening, send the error ID to the operator.`,
  },
}

const letters = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns an error ID for page and log, without characters that look alike, so that users can read it aloud. */
export function newErrorId(): string {
  const letter = () => letters[randomInt(letters.length)]
  const four = () => `${letter()}${letter()}${letter()}${letter()}`
  return `${four()}-${four()}`
}

/**
 * Logs a refused request. Similar ones of an address share a line and its error ID, which is `undefined` if so many
 * addresses are refused that the line doesn't name them.
 */
export function noteRefusal(refusals: Refusals, request: FastifyRequest, cause: string, more?: object) {
  return refusals.note({ cause }, { client: clientAddressOf(request) }, { errorId: newErrorId(), ...more })
}

export function registerNotFoundPage(app: FastifyInstance, place: PageFrame['place'], guard: PageGuard): void {
  app.setNotFoundHandler(async (request, reply) => {
    const address = withoutSlashAtEnd(request)
    if (address !== undefined) return reply.redirect(address, 301)
    const frame = { place, person: await guard.person(reply) }
    return sendPage(reply, errorPage({ ...errorPageWords.nothingHere, ways: [homeButton(place)] }, frame), {
      status: 404,
    })
  })
}

function homeButton(place: PageFrame['place']): Html {
  return linkButton({ label: t`Go to ${place.name}`, href: place.href, tone: 'plain' })
}

/**
 * Renders pages for errors that surfaces don't handle, and logs faults with the page's error ID. Call it before
 * surfaces are mounted.
 */
export function registerErrorPages(app: FastifyInstance, place: PageFrame['place'], refusals: Refusals): void {
  const home = homeButton(place)

  app.setErrorHandler((error: FastifyError, request, reply) => {
    // The attempt isn't looked up, because the store may be what failed, and error pages show nothing about the user.
    if (namesAttempt(request.url)) markAttemptPage(request)
    const href = formAddress(request)
    const again = linkButton({ label: t`Open page again`, href, tone: 'plain' })
    const send = (status: number, words: ErrorWords) => sendPage(reply, errorPage(words, { place }), { status })
    if (error instanceof FormRefusal) {
      const errorId = noteRefusal(refusals, request, error.reason)
      return send(403, { ...formWords(error, again), errorId })
    }
    if (error instanceof TooManyActs) {
      const seconds = Math.ceil(error.retryAfterMs / 1_000)
      const errorId = noteRefusal(refusals, request, error.reason)
      reply.header('retry-after', String(seconds))
      return send(429, { ...errorPageWords.tooManyActs(seconds), ways: [again], errorId })
    }
    if (error instanceof AccessEnded) {
      const errorId = noteRefusal(refusals, request, error.reason)
      // The page redirects to the sign-in, and is opened afterwards.
      const signIn = linkButton({ label: t`Sign in`, href, tone: 'primary' })
      return send(403, { ...errorPageWords.signedOut, ways: [signIn], errorId })
    }
    if (error instanceof Overloaded) {
      reply.header('retry-after', String(limits.overloadRetryAfterSeconds))
      return send(503, { ...errorPageWords.dataAway, why: errorPageWords.overloaded, ways: [again] })
    }
    if (error instanceof StoreUnavailable) {
      const errorId = newErrorId()
      request.log.error({ errorId, err: error }, 'page failed: the store is unavailable')
      reply.header('retry-after', '5')
      return send(503, { ...errorPageWords.dataAway, ways: [again], errorId })
    }
    if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
      const errorId = noteRefusal(refusals, request, error.code ?? 'too-large')
      const isUrl = error instanceof BodyTooLarge && request.method !== 'POST'
      const words = isUrl ? errorPageWords.urlTooLong : errorPageWords.requestMalformed
      return send(error.statusCode, { ...words, ways: isUrl ? [home] : [again, home], errorId })
    }
    const errorId = newErrorId()
    request.log.error({ errorId, err: error }, 'page failed')
    return send(500, { ...errorPageWords.fault, ways: [again, home], errorId })
  })
}

function formWords({ reason, about }: FormRefusal, again: Html): ErrorWords {
  if (about.address !== undefined) return errorPageWords.otherAddress(about.address)
  const words = reason === 'form-from-elsewhere' ? errorPageWords.formFromElsewhere : errorPageWords.formRefused
  return { ...words, ways: [again] }
}

/** Returns the URL to open again: the requested one or, for a form post, that of the form's page (`/` if unknown). */
function formAddress(request: FastifyRequest): string {
  return request.method === 'GET' ? request.url.replace(/^\/+/, '/') : (refererPath(request) ?? '/')
}

function paragraph(words: Text): Html {
  return words instanceof Html ? words : html`<p>${words}</p>`
}

/**
 * Returns where to redirect a page request whose path ends in a slash. Only plain paths: one that starts with two
 * slashes or a backslash would redirect to another host.
 */
function withoutSlashAtEnd({ method, url }: FastifyRequest): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const [, path, query = ''] = /^((?:\/(?!api\/)[\w.~%-]+)+)\/(\?.*)?$/s.exec(url) ?? []
  return path === undefined ? undefined : path + query
}

/**
 * Returns the page for a browser whose request can't be parsed, `undefined` for other clients. Most often, cookies of
 * other programs on the host exceed the limit for headers.
 */
export function malformedPage(place: Place, host: string): (error: MalformedRequest) => RawResponse | undefined {
  return ({ code, rawPacket }) => {
    const isTooLarge = code === 'HPE_HEADER_OVERFLOW'
    const packet = rawPacket instanceof Buffer ? rawPacket.toString('latin1') : ''
    const { url, headers } = readHead(packet)
    // If the headers' beginning is in another chunk, a browser is recognized by its cookies; if their end is, by its URL.
    const isBrowser =
      headers === undefined
        ? isTooLarge && (url !== undefined || packet.split('\r\n', 1)[0]?.includes('; '))
        : headers.accept?.includes('text/html')
    // Some programs also accept HTML, such as those with Java's HttpURLConnection.
    if (!isBrowser || targetPath({ url }).startsWith('/api/')) return undefined
    const { cookiesTooLarge, urlTooLong, unreadable } = errorPageWords
    const isLongUrl = url !== undefined && url.length > packet.length / 2
    const words = isTooLarge ? (isLongUrl ? urlTooLong : cookiesTooLarge(host)) : unreadable
    const [, chosen] = new RegExp(`\\b${languageCookie}=(\\w+)`).exec(headers?.cookie ?? '') ?? []
    return rawPage(errorPage(words, { place }), {
      status: isTooLarge ? 431 : 400,
      language: languageOf({ cookies: { [languageCookie]: chosen }, headers: headers ?? {} }),
      isInAttempt: url === undefined || namesAttempt(url),
    })
  }
}

/** Reads as much as arrived, without headers if the chunk begins after the first line or ends in it. */
function readHead(text: string): { url: string | undefined; headers?: Record<string, string> } {
  const [first = '', ...lines] = text.split('\r\n')
  const [, url] = /^[A-Z]+ (\S+)(?: HTTP\/\d\.\d)?$/.exec(first) ?? []
  if (url === undefined || lines.length === 0) return { url }
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { url, headers: Object.fromEntries(headers) }
}

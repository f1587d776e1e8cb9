import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Language, languages } from '../domain/language.ts'
import { type RawResponse, rawResponse } from '../http/raw-exchange.ts'
import { languageOf } from '../http/request-origin.ts'
import { asset, chosenAppearance } from './appearance.ts'
import { ownLanguages } from './catalogues.ts'
import { type Crumb, notice, postForm, trail as trailOf } from './components/elements.ts'
import { icon } from './components/pictures.ts'
import { type Html, html, type Text, t, Words } from './html.ts'
import { headerSections, type Place, type Sites } from './places.ts'

export interface Person {
  name: string
  signOutAction: string
  /** Token for every form on the page. */
  formToken: string
  /** The sites to which the header links. If absent, the header has no links to sections. */
  sites?: Sites
  /** Whether a form of this page was ignored, because its user's session had ended. */
  formIgnored?: boolean
}

export interface PageFrame {
  title: Text
  /** The page's place, which determines its header, title and first breadcrumb. */
  place: Place
  /** Breadcrumbs below the section's first page. The last one may be this page. */
  trail?: readonly Crumb[]
  /** Links to the pages beside this one, at the end of the breadcrumbs. */
  beside?: Html | false
  person?: Person | undefined
  /** Token for the page's forms. Default: the signed-in user's. */
  formToken?: string
  /**
   * `narrow` for a single question, `wide` for tables and settings, `dense` for an object whose tabs include wide tables:
   * they use the whole window, and everything else is as wide as in `wide`. Default: a column of text.
   */
  width?: 'narrow' | 'wide' | 'dense'
  styles?: readonly string[]
  /** Additional scripts from `src/pages/assets/`, such as `authorization-url.js`. */
  modules?: readonly string[]
  head?: Html
  /** The URL to reload after a POST. A script puts it into the address bar, so that a reload doesn't post again. */
  canonical?: string
  /** Omits the links for language and theme, with which users would lose a page that shows a secret once. */
  shownOnce?: boolean
  body: Html
}

const documentStart = '<!doctype html>\n<html lang="en"'

/**
 * Renders the common frame. `<link rel="expect">` makes browsers wait for the whole page before they paint: links of a
 * part of the header or footer would move when the rest arrives.
 */
export function page(frame: PageFrame): Html {
  const {
    title,
    place,
    trail,
    beside,
    person,
    formToken = person?.formToken,
    width,
    styles = [],
    modules = [],
    head,
    canonical,
    shownOnce = false,
    body,
  } = frame
  const crumbs = place.section && trail && [{ name: place.section.name, href: place.section.path }, ...trail]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${place.name}</title>
${canonical !== undefined && html`<link rel="canonical" href="${canonical}">`}
${head}
<link rel="expect" href="#end" blocking="render">
<link rel="icon" href="${asset('mark.svg')}" type="image/svg+xml">
${['gatehouse.css', ...styles].map((file) => html`<link rel="stylesheet" href="${asset(file)}">`)}
${['gatehouse.js', ...(place.section !== undefined && person?.sites ? ['keys.js'] : []), ...modules].map((file) => html`<script type="module" src="${asset(file)}"></script>`)}
</head>
<body>
<a class="skip" href="#main">${t`Skip to content`}</a>
${header({ place, person, shownOnce, isFirst: trail === undefined })}
<main id="main" tabindex="-1"${width && html` class="${width}"`}>${crumbs && trailOf(crumbs, beside)}${person?.formIgnored && ignoredNotice}${body}</main>
<footer><span>Gatehouse</span>${person?.sites && html`<span data-zone>${zone}</span>`}${person === undefined && !shownOnce && preferences()}</footer>
<div id="end" hidden></div>
</body>
</html>`.withFormToken(formToken)
}

/** The script replaces “UTC” with the browser's time zone. */
const zone = t`Times in UTC`
const themeNames = { light: t`Light`, dark: t`Dark`, system: t`System` }

const ignoredNotice = notice({
  tone: 'warn',
  title: t`Nothing was saved`,
  body: t`Your session had ended, or another user had signed in.`,
})

/**
 * Sends a page in the chosen language and theme, with headers that forbid inline scripts, framing and caching.
 * @param formOrigins other origins to which its forms may redirect. Pages of an authorization attempt need none.
 */
export function sendPage(
  reply: FastifyReply,
  content: Html,
  options: { status?: number; formOrigins?: readonly string[] } = {},
): FastifyReply {
  return reply
    .code(options.status ?? 200)
    .headers(headersOf(attemptRequests.has(reply.request), options.formOrigins))
    .send(asChosen(content, languageOf(reply.request), chosenAppearance(reply.request.cookies)))
}

/** Answers a HEAD request for a page whose GET has effects: the headers alone, without rendering the page. */
export function sendPageHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers(headersOf(attemptRequests.has(reply.request))).send()
}

/** Returns a page as the response to a request that Node could not parse. */
export function rawPage(
  content: Html,
  { status, language, isInAttempt }: { status: number; language: Language; isInAttempt: boolean },
): RawResponse {
  return rawResponse(status, Object.entries(headersOf(isInAttempt)).flat(), asChosen(content, language, ''))
}

/**
 * Returns a page's security headers. Two depend on whether it belongs to an authorization attempt (decision 0011). If
 * so, forms may redirect anywhere: browsers apply `form-action` to every redirect after a form post, and only the
 * application knows where its callback leads. Also, the page stays connected to the window that opened it, for
 * applications that sign users in through a popup.
 */
function headersOf(isInAttempt: boolean, formOrigins: readonly string[] = []): Record<string, string> {
  const formAction = isInAttempt ? '' : ` form-action ${["'self'", ...formOrigins.map(policySource)].join(' ')};`
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self' https: data:; script-src 'self'; connect-src 'self';${formAction} frame-ancestors 'none'; base-uri 'none'`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // `no-referrer` would make browsers send `Origin: null` with form posts.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': isInAttempt ? 'unsafe-none' : 'same-origin',
  }
}

/** Requests whose page belongs to an authorization attempt. Each one is dropped with its request. */
const attemptRequests = new WeakSet<FastifyRequest>()

/** Records that the request's page belongs to an attempt. The code that finds attempts calls it, so no page has to. */
export function markAttemptPage(request: FastifyRequest): void {
  attemptRequests.add(request)
}

/** Returns whether the URL alone shows that its page belongs to an authorization attempt, which may not exist. */
export function namesAttempt(url: string): boolean {
  return /^\/auth\/consent(?:[/?]|$)|[?&]attempt=/.test(url)
}

/** Returns the origin or, if its host is an IPv6 address, which a policy can't contain, only its scheme. */
function policySource(origin: string): string {
  const { protocol, hostname } = new URL(origin)
  return hostname.startsWith('[') ? protocol : origin
}

function asChosen(content: Html, language: Language, appearance: string): string {
  return content.in(language).replace(
    documentStart,
    `<!doctype html>
<html lang="${language}"${appearance}`,
  )
}

/**
 * Renders the header: the same on all pages of both origins or, if nobody is signed in, only a link to the start page.
 * @param frame.isFirst whether this is its section's first page.
 */
function header(frame: { place: Place; person: Person | undefined; isFirst: boolean; shownOnce: boolean }): Html {
  const { place, person, isFirst, shownOnce } = frame
  const sites = place.section === undefined ? undefined : person?.sites
  const home = sites === undefined ? place : { name: 'Gatehouse', href: `${sites.base}/account` }
  return html`<header><a class="place" href="${home.href}"><img src="${asset('mark.svg')}" alt="" width="28" height="28"><span class="words">${home.name}</span></a>
${sites && sectionLinks(place, sites, isFirst)}
${sites && searchLink}
${person && personMenu(person, sites, shownOnce)}
</header>`
}

function sectionLinks({ section }: Place, sites: Sites, isFirst: boolean): Html {
  const current = html` aria-current="${isFirst ? 'page' : 'true'}"`
  return html`<nav class="places" aria-label="${t`Main`}">${headerSections.map(
    (each) =>
      html`<a href="${sites[each.site]}${each.path}"${each === section && current}${each.key !== undefined && html` data-go="${each.key}"`}>${each.name}</a>`,
  )}</nav>`
}

/** Leads to the search page. With scripts, opens the search on the current page. */
const searchLink = html`<a class="find" href="/search" aria-keyshortcuts="Control+K Meta+K" data-script="${asset('search.js')}">${icon('search')}<span class="words">${t`Search`}</span><kbd aria-hidden="true">${t`Ctrl K`}</kbd></a>`

/** @param sites `undefined` on pages that ask a single question and have no links to other pages. */
function personMenu({ name, signOutAction }: Person, sites: Sites | undefined, shownOnce: boolean): Html {
  return html`<details class="person"><summary>${icon('person')}<span class="hidden-visually">${t`Menu for`} </span><span class="name">${name}</span></summary>
<div class="menu">${sites && html`<nav class="more" aria-label="${t`More pages`}"><a href="${sites.base}/account">${t`Your account`}</a><a href="${sites.base}/account/subscriptions">${t`Event subscriptions`}</a><a href="${sites.portal}/guides">${t`Guides`}</a><a href="/keys">${t`Keyboard shortcuts`}</a></nav>`}
${!shownOnce && preferences()}
${postForm({ action: signOutAction }, html`<button type="submit" class="quiet small">${t`Sign out`}</button>`)}</div></details>`
}

const languageNames = new Map<Language, string>()

/** Returns the language's name in the language itself, as at the beginning of a sentence. */
function nameOf(language: Language): string {
  return languageNames.getOrInsertComputed(language, () => {
    const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
    return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
  })
}

/** The class of a link to a language. The stylesheet knows only our own languages. */
function classOf(language: Language): Text {
  if (ownLanguages.includes(language)) return language
  return new Words((current) => (current === language ? 'current' : ''))
}

/** The stylesheet marks the current language and theme, because views don't know which ones were chosen. */
const inUse = html`<span class="in-use hidden-visually"> ${t`(current)`}</span>`

/** Renders the choice of language and theme: in the menu of a signed-in user, and otherwise in the footer. */
const preferences = () => html`<nav class="languages" aria-label="${t`Language`}">${languages.map(
  (language) =>
    html`<a class="${classOf(language)}" href="/appearance/language/${language}" hreflang="${language}" lang="${language}" rel="nofollow">${nameOf(language)}${inUse}</a>`,
)}</nav>
<nav class="themes" aria-label="${t`Theme`}">${Object.entries(themeNames).map(
  ([theme, name]) => html`<a class="${theme}" href="/appearance/${theme}" rel="nofollow">${name}${inUse}</a>`,
)}</nav>`

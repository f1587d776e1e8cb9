import type { FastifyReply } from 'fastify'
import { type Language, languages } from '../domain/language.ts'
import { languageNames, languageOf } from '../http/language.ts'
import { chosenTheme } from './appearance-route.ts'
import { asset } from './asset-address.ts'
import { notice } from './components/notice.ts'
import { type Html, html, type KeptInput, type Text } from './html.ts'
import { frameWords } from './words/frame.ts'

/** A signed-in user, as shown in the page header. */
export interface Person {
  name: string
  signOutAction: string
  /** Token for every form on the page. */
  formToken: string
  /** Input that the user posted from this page after their session had ended. */
  kept?: KeptInput | undefined
}

/** A page's content and layout options. */
export interface PageFrame {
  title: Text
  /** Name and link of the current location, shown in the header. */
  place: { name: Text; href: string }
  /** Navigation links; `current` marks the link to this page. */
  places?: readonly { name: Text; href: string; current?: boolean }[]
  /** The signed-in user, if any. */
  person?: Person | undefined
  /** `narrow` for a single question, `wide` for tables and settings. Default: a column of text. */
  width?: 'narrow' | 'wide'
  /** Additional stylesheets from `src/pages/assets/`, for pages whose styles would burden all others. */
  styles?: readonly string[]
  /** Additional scripts from `src/pages/assets/`, such as `authorization-url.js`. */
  modules?: readonly string[]
  /** Additional `<head>` elements, such as metadata for link previews. */
  head?: Html
  /**
   * The URL to reload if this page is the response to a POST. A script puts it into the address bar, so that a reload
   * doesn't post again.
   */
  canonical?: string
  /** Omits the footer's links, so that users don't accidentally leave a page that shows a secret only once. */
  shownOnce?: boolean
  body: Html
}

const documentStart = '<!doctype html>\n<html lang="en"'

/**
 * Renders the common frame: skip link, header with the current location and the signed-in user, main content, footer.
 */
export function page(frame: PageFrame): Html {
  const { title, place, places, person, width, styles = [], modules = [], head, canonical, shownOnce, body } = frame
  const kept = person?.kept
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${place.name}</title>
${canonical !== undefined && html`<link rel="canonical" href="${canonical}">`}
${head}
<link rel="icon" href="${asset('mark.svg')}" type="image/svg+xml">
${['gatehouse.css', ...styles].map((file) => html`<link rel="stylesheet" href="${asset(file)}">`)}
${['gatehouse.js', ...modules].map((file) => html`<script type="module" src="${asset(file)}"></script>`)}
</head>
<body>
<a class="skip" href="#main">${frameWords.skip}</a>
<header><a class="place" href="${place.href}"><img src="${asset('mark.svg')}" alt="" width="28" height="28">${place.name}</a>
${places && html`<nav class="places" aria-label="${frameWords.main}">${places.map(({ name, href, current }) => html`<a href="${href}"${current && html` aria-current="page"`}>${name}</a>`)}</nav>`}
${person && html`<form class="person" method="post" action="${person.signOutAction}"><input type="hidden" name="form_token" value="${person.formToken}"><span>${person.name}</span><button type="submit" class="quiet small">${frameWords.signOut}</button></form>`}
</header>
<main id="main" tabindex="-1"${width && html` class="${width}"`}>${kept && keptNotice}${body}</main>
<footer><span>Gatehouse</span>${!shownOnce && html`${languageSwitch}${themeSwitch}`}</footer>
</body>
</html>`
  return kept === undefined ? document : document.withInput(kept)
}

const keptNotice = notice({ tone: 'warn', title: frameWords.kept.title, body: frameWords.kept.body })

/** The stylesheet marks the current theme, because views don't know which theme was chosen. */
const themeSwitch = html`<nav class="themes" aria-label="${frameWords.theme}">${(
  ['light', 'dark', 'system'] as const
).map(
  (theme) =>
    html`<a class="${theme}" href="/appearance/${theme}" rel="nofollow">${frameWords.themes[theme]}<span class="in-use hidden-visually"> ${frameWords.current}</span></a>`,
)}</nav>`

const languageSwitch = html`<nav class="languages" aria-label="${frameWords.language}">${languages.map(
  (language) =>
    html`<a class="${language}" href="/appearance/language/${language}" hreflang="${language}" lang="${language}" rel="nofollow">${languageNames[language]}<span class="in-use hidden-visually"> ${frameWords.current}</span></a>`,
)}</nav>`

/**
 * Sends a page with its security headers, in the chosen language and theme. Forbids inline scripts, framing and
 * caching.
 *
 * @param formOrigins other origins to which this page's forms may redirect. Browsers apply `form-action` to every
 * redirect after a POST, so the consent page must list the application's origin.
 */
export function sendPage(
  reply: FastifyReply,
  content: Html,
  options: { status?: number; formOrigins?: readonly string[] } = {},
): FastifyReply {
  const formAction = ["'self'", ...(options.formOrigins ?? [])].join(' ')
  return reply
    .code(options.status ?? 200)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'self'; img-src 'self' https: data:; script-src 'self'; connect-src 'self'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      // `no-referrer` would make browsers send `Origin: null` with form posts.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    .send(asChosen(content, languageOf(reply.request), chosenTheme(reply.request.cookies)))
}

function asChosen(content: Html, language: Language, theme: string | undefined): string {
  const data = theme === undefined ? '' : ` data-theme="${theme}"`
  return content.in(language).replace(documentStart, `<!doctype html>\n<html lang="${language}"${data}`)
}

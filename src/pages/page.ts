import type { FastifyReply } from 'fastify'
import type { Language } from '../domain/language.ts'
import { languageOf } from '../http/browser-info.ts'
import { chosenTheme } from './appearance-route.ts'
import { asset } from './asset-address.ts'
import { notice } from './components/notice.ts'
import { type Crumb, trail as trailOf } from './components/trail.ts'
import { type HeaderPerson, header, preferences } from './header.ts'
import { type Html, html, type KeptInput, type Text } from './html.ts'
import type { Place } from './places.ts'
import { frameWords } from './words/frame.ts'

/** The signed-in user for whom a page is rendered. */
export interface Person extends HeaderPerson {
  /** Input that the user posted from this page after their session had ended. */
  kept?: KeptInput | undefined
}

/** A page's content and layout options. */
export interface PageFrame {
  title: Text
  /** The page's place, which determines its header, title and first breadcrumb. */
  place: Place
  /** Breadcrumbs below the section's first page. The last one may be this page. */
  trail?: readonly Crumb[]
  /** The signed-in user, if any. */
  person?: Person | undefined
  /** `narrow` for a single question, `wide` for tables and settings. Default: a column of text. */
  width?: 'narrow' | 'wide'
  /** Additional stylesheets from `src/pages/assets/` that only some pages need. */
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
  /**
   * Omits the links for language and theme, so that users don't accidentally leave a page that shows a secret only
   * once.
   */
  shownOnce?: boolean
  body: Html
}

const documentStart = '<!doctype html>\n<html lang="en"'

/**
 * Renders the common frame: skip link, header with the current location and the signed-in user, main content, footer.
 */
export function page(frame: PageFrame): Html {
  const {
    title,
    place,
    trail,
    person,
    width,
    styles = [],
    modules = [],
    head,
    canonical,
    shownOnce = false,
    body,
  } = frame
  const kept = person?.kept
  const crumbs = place.section && trail && [{ name: place.section.name, href: place.section.path }, ...trail]
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
${header({ place, person, shownOnce, isFirst: trail === undefined })}
<main id="main" tabindex="-1"${width && html` class="${width}"`}>${crumbs && trailOf(crumbs)}${kept && keptNotice}${body}</main>
<footer><span>Gatehouse</span>${person?.sites && html`<span data-zone>${frameWords.zone}</span>`}${person === undefined && !shownOnce && preferences}</footer>
</body>
</html>`
  return kept === undefined ? document : document.withInput(kept)
}

const keptNotice = notice({ tone: 'warn', title: frameWords.kept.title, body: frameWords.kept.body })

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

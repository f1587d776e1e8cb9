import type { FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'

/** What every page says of itself and of its reader. */
export interface PageFrame {
  title: string
  /** Name of the place in the header, with its address. */
  place: { name: string; href: string }
  /** The signed-in person, when there is one. */
  person?: { name: string; signOutAction: string; formToken: string }
  body: Html
}

/** The common frame: skip link, header with place and person, main, footer. */
export function page({ title, place, person, body }: PageFrame): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${place.name}</title>
<link rel="icon" href="/assets/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/gatehouse.css">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a class="place" href="${place.href}"><img src="/assets/mark.svg" alt="" width="24" height="24">${place.name}</a>
${person && html`<form method="post" action="${person.signOutAction}"><input type="hidden" name="form_token" value="${person.formToken}"><span>${person.name}</span> <button class="quiet">Sign out</button></form>`}
</header>
<main id="main">${body}</main>
<footer>Gatehouse</footer>
</body>
</html>`
}

/**
 * Sends a page with its security headers. Nothing inline runs, nothing frames it, and it is not cached.
 *
 * @param formOrigins Origins beside our own to which a form of this page may lead by redirect: browsers apply
 * `form-action` to every redirect after a post, so consent must name the application's origin.
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
      // Not `no-referrer`: with it browsers send `Origin: null` on form posts.
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    .send(content.markup)
}

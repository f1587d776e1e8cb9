import type { FastifyInstance, FastifyRequest } from 'fastify'
import { card, linkButton, notice } from '../../pages/components/elements.ts'
import { copyField } from '../../pages/components/secrets.ts'
import { type Html, html, t } from '../../pages/html.ts'
import { page, sendPage } from '../../pages/page.ts'
import { portalPlace } from '../../pages/places.ts'
import type { PortalServices } from './application-pages.ts'

export const showCodePath = '/show-code'

/** `GET /show-code`: a redirect URI for applications without a server. Shows the code and how to redeem it. */
export function codeRoutes(app: FastifyInstance, services: PortalServices): void {
  const { guard, applications, baseUrl, portalUrl } = services
  const redirectUri = `${portalUrl}${showCodePath}`

  app.get(showCodePath, async (request, reply) => {
    const code = parameter(request, 'code', /^svc_ac_[\w-]{1,100}$/)
    const error = parameter(request, 'error', /^[a-z_]{1,100}$/)
    const session = await guard.sessions.current(request)
    const owned = session === undefined ? [] : await applications.owned.list(session.userId)
    const clients = owned.filter(({ redirectUris }) => redirectUris.includes(redirectUri))
    const clientId = clients.length === 1 ? clients[0]?.clientId : undefined
    const state = parameter(request, 'state', /^/)
    const content = page({
      place: portalPlace,
      person: await guard.person(reply),
      title: code !== undefined ? t`Authorization code` : t`No authorization code`,
      // Takes the code out of the address bar and the browser's history (RFC 9700 section 4.2.4).
      canonical: showCodePath,
      body:
        code === undefined
          ? noCodeBody(error, redirectUri)
          : codeBody({ code, state, clientId }, { baseUrl, redirectUri }),
    })
    return sendPage(reply, content, { formOrigins: [baseUrl] })
  })
}

/** Returns a parameter of the query if it has the form that Gatehouse gives it. Anyone can link to this page. */
function parameter({ query }: FastifyRequest, name: string, form: RegExp): string | undefined {
  const value = (query as Record<string, unknown>)[name]
  return typeof value === 'string' && form.test(value) ? value : undefined
}

function codeBody(
  { code, state, clientId }: { code: string; state: string | undefined; clientId: string | undefined },
  { baseUrl, redirectUri }: { baseUrl: string; redirectUri: string },
): Html {
  const redeem = `curl ${baseUrl}/api/oauth/token -d grant_type=authorization_code -d client_id=${clientId ?? '"$CLIENT_ID"'} -d client_secret="$CLIENT_SECRET" -d redirect_uri=${redirectUri} -d code=${code}`
  const read = `curl ${baseUrl}/api/oauth/userinfo -H "Authorization: Bearer $ACCESS_TOKEN"`
  return html`<h1>${t`Authorization code`}</h1>
<p>${t`Here your application would receive the code. It works once, for five minutes.`}</p>
${card({
  body: html`${copyField({ label: t`Code`, text: code })}
${state !== undefined && html`<p>${t.html`Your application compares <code>state</code> with the one it sent:`} <code>${state}</code></p>`}
${copyField({ label: t`Exchange the code for tokens`, text: redeem, testId: 'redeem' })}
${copyField({ label: t`Read who signed in`, text: read })}`,
})}
${notice({ tone: 'neutral', body: t`Give the code to no one: with the application’s secret, it reads what you allowed.` })}`
}

function noCodeBody(error: string | undefined, redirectUri: string): Html {
  return html`<h1>${t`No authorization code`}</h1>
${error === undefined ? html`<p>${t`This page is a redirect URI for development. It shows the code that your application would receive, and the command that exchanges it.`}</p>` : html`<p>${t`Gatehouse returned an error, so nothing was shared:`} <code>${error}</code></p>`}
${copyField({ label: t`Redirect URI`, text: redirectUri })}
<div class="buttons">${linkButton({ label: t`Quick start`, href: '/guides/quick-start', tone: 'plain' })}</div>`
}

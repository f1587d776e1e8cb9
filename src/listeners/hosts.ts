import type { FastifyInstance } from 'fastify'
import type { HostFailure } from '../domain/store-unavailable.ts'
import { AccessLog } from '../http/access-log.ts'
import { AnswerCounts } from '../http/answer-counts.ts'
import { trustProxy } from '../http/client-address.ts'
import { cookieJar } from '../http/cookies.ts'
import { type ClosingGrace, type Listening, listen } from '../http/listen.ts'
import { newApp, type RawAnswer } from '../http/new-app.ts'
import { sendToOwnName } from '../http/own-name.ts'
import { type SenderTimeouts, senderTimeouts } from '../http/sender-timeouts.ts'
import { ClientAuthentication } from '../oauth/client-authentication.ts'
import { type OAuthEndpoint, OAuthEndpoints } from '../oauth/oauth-endpoints.ts'
import { appearanceRoute } from '../pages/appearance-route.ts'
import { assetsRoute } from '../pages/assets-route.ts'
import { answerErrorsAsPages } from '../pages/error-page.ts'
import { Flash } from '../pages/flash.ts'
import { FormTokens } from '../pages/form-token.ts'
import { keepingOnward } from '../pages/onward.ts'
import { identityPlace, portalPlace } from '../pages/places.ts'
import { BrowserSessions } from '../pages/sessions.ts'
import { PageGuard } from '../pages/signed-in.ts'
import type { Service } from '../service.ts'
import { accessSurface } from '../surfaces/account/access-routes.ts'
import { activitySurface } from '../surfaces/account/activity-routes.ts'
import { accountSurface } from '../surfaces/account/routes.ts'
import { settingsSurface } from '../surfaces/account/settings-routes.ts'
import { botStatusBadges } from '../surfaces/bot-status/badge-routes.ts'
import { botStatusPages } from '../surfaces/bot-status/page-routes.ts'
import { BotStatusApi } from '../surfaces/bot-status/status-api.ts'
import { consentOperation } from '../surfaces/consent/contract.ts'
import { consentSurface } from '../surfaces/consent/routes.ts'
import { introspectOperation } from '../surfaces/introspect/contract.ts'
import { introspectEndpoint } from '../surfaces/introspect/routes.ts'
import { linkedAccountsSurface } from '../surfaces/linked-accounts/routes.ts'
import { metadataSurface } from '../surfaces/metadata/routes.ts'
import { openapiDocument } from '../surfaces/openapi/document.ts'
import { ownerBotsSurface } from '../surfaces/owner-bots/routes.ts'
import { passkeysSurface } from '../surfaces/passkeys/routes.ts'
import { PortalSignIn } from '../surfaces/portal/portal-sign-in.ts'
import { portalSurface } from '../surfaces/portal/routes.ts'
import { TryOuts } from '../surfaces/portal/try-out.ts'
import { refuseOtherHosts } from '../surfaces/provisioning/own-host.ts'
import { provisioningSurface } from '../surfaces/provisioning/routes.ts'
import { pushedRequestOperation } from '../surfaces/pushed-request/contract.ts'
import { pushedRequestEndpoint } from '../surfaces/pushed-request/routes.ts'
import { recoverySurface } from '../surfaces/recovery/routes.ts'
import { revokeOperation } from '../surfaces/revoke/contract.ts'
import { revokeEndpoint } from '../surfaces/revoke/routes.ts'
import { RuntimeLink } from '../surfaces/runtime-link/runtime-link.ts'
import { signInSurface } from '../surfaces/sign-in/routes.ts'
import { welcomeSurface } from '../surfaces/sign-in/welcome-routes.ts'
import { telemetrySurface } from '../surfaces/telemetry/routes.ts'
import { waitingSurface } from '../surfaces/telemetry/waiting.ts'
import { tokenOperation } from '../surfaces/token/contract.ts'
import { tokenEndpoint } from '../surfaces/token/routes.ts'
import { userinfoOperation } from '../surfaces/userinfo/contract.ts'
import { userinfoEndpoint } from '../surfaces/userinfo/routes.ts'
import { GatewayHost } from './gateway-host.ts'

/** One listener: what answers, and how it is told to begin and to stop. */
export interface Host {
  name: 'identity' | 'gateway' | 'portal' | 'control'
  /** Binds and resolves with the port in use. */
  listen(): Promise<number>
  /** Takes no new connection, lets the work in hand finish, resolves when it has. Who has not sent all of it is cut after `grace`. */
  close(grace: ClosingGrace): Promise<void>
}

const ignoredProxy =
  'a request came with X-Forwarded-For, which is ignored: TRUST_PROXY is not set. If a proxy stands in front, set it: ' +
  'until then all of its clients share one address and its limits'

/** Which surface is mounted on which address. */
export async function buildHosts(service: Service, timeouts: SenderTimeouts = senderTimeouts): Promise<Host[]> {
  const { config, log } = service
  const trust = trustProxy(config.trustProxy, () => log.warn(ignoredProxy))

  const suspect = () => service.readiness.suspect()
  const access = config.accessLog ? new AccessLog({ log, trust }) : undefined
  const answers = {
    identity: new AnswerCounts(suspect),
    gateway: new AnswerCounts(suspect),
    portal: new AnswerCounts(suspect),
    control: new AnswerCounts(suspect),
  }
  const botStatusApi = new BotStatusApi({
    bots: service.bots,
    clock: service.clock,
    trust,
    log,
    requests: service.statusRequests,
    answers: answers.identity,
  })
  const clients = new ClientAuthentication({
    applications: service.applications,
    requests: service.requests,
    clock: service.clock,
  })
  const oauth = new OAuthEndpoints({
    endpoints: oauthEndpoints(service, clients),
    trust,
    log,
    clock: service.clock,
    answers: answers.identity,
  })
  const leaving = () => service.gatewayHealth.closing
  const first: RawAnswer = (request, response, ending) =>
    botStatusApi.handle(request, response) || oauth.handle(request, response, ending)
  const identity = await newApp({ log, answers: answers.identity, access, trustProxy: trust, timeouts, leaving, first })
  const cookies = cookieJar('gatehouse', config.base.url)
  const formTokens = new FormTokens(service.secrets.keysFor('form token, identity'), cookies, config.base.url)
  const lastUserKeys = service.secrets.keysFor('last user of a browser')
  const sessions = new BrowserSessions({ accounts: service.accounts, cookies, surface: 'identity', keys: lastUserKeys })
  const { accounts, audit, authorization, clock, keptForms } = service
  const flash = new Flash(service.secrets.keysFor('flash messages, identity'), cookies)
  const guard = new PageGuard(identity, {
    sessions,
    formTokens,
    keptForms,
    // `/account` is where a sign-in leads by itself.
    signInAddress: (_request, _reply, back) =>
      keepingOnward('/sign-in', { attempt: undefined, returnTo: back === '/account' ? undefined : back }),
  })
  const people = { accounts, audit, authorization, sessions, formTokens, guard, clock, flash }
  answerErrorsAsPages(identity, identityPlace)
  sendToOwnName(identity, config.base.url)
  await identity.register(assetsRoute)
  await identity.register(appearanceRoute)
  const { linkedAccounts } = service

  await identity.register(welcomeSurface({ ...people, portalUrl: config.portal.url, controlUrl: config.control.url }))
  await identity.register(signInSurface({ ...people, linkedAccounts }))
  await identity.register(linkedAccountsSurface({ ...people, linkedAccounts, cookies }))
  await identity.register(accountSurface({ ...people, passkeys: service.passkeys, linkedAccounts }))
  await identity.register(passkeysSurface({ ...people, passkeys: service.passkeys, clock: service.clock }))
  await identity.register(activitySurface(people))
  await identity.register(settingsSurface(people))
  await identity.register(accessSurface(people))
  await identity.register(recoverySurface({ ...people, cookies }))
  const { bots, deliveryLog } = service
  await identity.register(
    ownerBotsSurface({
      ...people,
      bots,
      webhooks: service.webhooks,
      deliveryLog,
      baseUrl: config.base.url,
      apiUrl: config.api.url,
    }),
  )
  const issuer = config.sendIss ? config.base.url : undefined
  await identity.register(
    consentSurface({
      authorization,
      requests: service.requests,
      sessions,
      formTokens,
      issuer,
      portalUrl: config.portal.url,
    }),
  )
  await identity.register(
    metadataSurface({
      authorization: service.authorization,
      baseUrl: config.base.url,
      apiUrl: config.api.url,
      sendIss: config.sendIss,
    }),
  )

  await identity.register(botStatusPages({ ...service, baseUrl: config.base.url }))
  await identity.register(botStatusBadges(service))

  const portal = await newApp({ log, answers: answers.portal, access, trustProxy: trust, timeouts, leaving })
  answerErrorsAsPages(portal, portalPlace)
  sendToOwnName(portal, config.portal.url)
  await portal.register(assetsRoute)
  await portal.register(appearanceRoute)
  const portalCookies = cookieJar('gatehouse-portal', config.portal.url)
  const portalSessions = new BrowserSessions({
    accounts,
    cookies: portalCookies,
    surface: 'portal',
    keys: lastUserKeys,
  })
  const portalSignIn = new PortalSignIn({
    key: service.secrets.keyFor('portal sign-in'),
    cookies: portalCookies,
    baseUrl: config.base.url,
    portalUrl: config.portal.url,
  })
  const portalGuard = new PageGuard(portal, {
    sessions: portalSessions,
    formTokens: new FormTokens(service.secrets.keysFor('form token, portal'), portalCookies, config.portal.url),
    keptForms,
    signInAddress: (request, reply, back) => portalSignIn.begin(request, reply, back),
  })
  await portal.register(
    portalSurface({
      ...service,
      guard: portalGuard,
      sessions: portalSessions,
      flash: new Flash(service.secrets.keysFor('flash messages, portal'), portalCookies),
      signIn: portalSignIn,
      tryOuts: new TryOuts({
        key: service.secrets.keyFor('try-out'),
        baseUrl: config.base.url,
        portalUrl: config.portal.url,
        authorization,
        profile: service.profile,
      }),
      baseUrl: config.base.url,
      apiUrl: config.api.url,
      operations: describedOperations,
    }),
  )
  const { webhooks, gatewayHealth: health } = service
  const runtimeLink = new RuntimeLink(service)
  const openapi = () =>
    openapiDocument({
      authorization: service.authorization,
      baseUrl: config.base.url,
      operations: describedOperations,
    })
  const gateway = new GatewayHost({
    webhooks,
    health,
    runtimeLink,
    openapiDocument: openapi,
    trust,
    timeouts,
    log,
    clock: service.clock,
    answers: answers.gateway,
    access,
  })

  identity.addHook('onClose', async () => oauth.refusals.close())

  const control = await newApp({ log, answers: answers.control, access, trustProxy: trust, timeouts, leaving })
  refuseOtherHosts(control, config.control.url)
  const refusals = { webhooks: gateway.refusals, oauth: oauth.refusals }
  await control.register(telemetrySurface({ ...service, answers, refusals }))
  await control.register(provisioningSurface({ ...service, baseUrl: config.base.url, controlUrl: config.control.url }))

  access?.watch(identity.server, 'identity', (path) => oauth.routeOf(path) ?? botStatusApi.routeOf(path))
  access?.watch(portal.server, 'portal', () => undefined)
  access?.watch(control.server, 'control', () => undefined)

  return [
    appHost('identity', identity, { address: config.base, timeouts }),
    { name: 'gateway', listen: () => gateway.listen(config.api), close: (grace) => gateway.close(grace) },
    appHost('portal', portal, { address: config.portal, timeouts }),
    appHost('control', control, { address: config.control, timeouts }),
  ]
}

/** Builds the control surface of a node that waits for its database. Its other addresses aren't bound yet. */
export async function buildWaitingHost(
  { config, log }: Pick<Service, 'config' | 'log'>,
  failures: () => readonly HostFailure[],
): Promise<Host> {
  const answers = new AnswerCounts()
  const trust = trustProxy(config.trustProxy, () => {})
  const parts = { log, answers, access: undefined, trustProxy: trust, timeouts: senderTimeouts, leaving: () => false }
  const control = await newApp(parts)
  refuseOtherHosts(control, config.control.url)
  await control.register(waitingSurface(failures))
  return appHost('control', control, { address: config.control, timeouts: senderTimeouts })
}

function oauthEndpoints(service: Service, clients: ClientAuthentication): OAuthEndpoint[] {
  const { authorization, profile, requests } = service
  return [
    tokenEndpoint({ authorization, clients, requests }),
    userinfoEndpoint({ authorization, profile, requests }),
    revokeEndpoint({ authorization, clients }),
    introspectEndpoint({ ...service, clients }),
    pushedRequestEndpoint({ authorization, clients }),
  ]
}

const describedOperations = [
  consentOperation,
  tokenOperation,
  userinfoOperation,
  revokeOperation,
  introspectOperation,
  pushedRequestOperation,
]

function appHost(
  name: Host['name'],
  app: FastifyInstance,
  { address, timeouts }: { address: { host: string; port: number }; timeouts: SenderTimeouts },
): Host {
  let listening: Listening | undefined
  let closing: ClosingGrace | undefined
  let emptied: Promise<void> | undefined
  // Behind the app's own hook: from there on each answer is the last of its connection.
  app.addHook('preClose', (done) => {
    emptied = closing && listening?.close(closing)
    done()
  })
  return {
    name,
    async listen() {
      await app.ready()
      listening = await listen(app.server, address, timeouts)
      return listening.port
    },
    async close(grace) {
      closing = grace
      await app.close()
      await emptied
    },
  }
}

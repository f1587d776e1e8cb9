import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { StatusMail } from '../../../domain/bots/status-mail/status-mail.ts'
import type { Clock } from '../../../domain/clock.ts'
import { browserInfo } from '../../../http/browser-info.ts'
import { canonicalAddress } from '../../../http/client-address.ts'
import type { Mount } from '../../../http/new-app.ts'
import { type FormResult, noErrors, refusedForm } from '../../../pages/account-form.ts'
import type { Flash } from '../../../pages/flash.ts'
import { type FormTokens, formText } from '../../../pages/form-posts.ts'
import { type Person, sendPage } from '../../../pages/page.ts'
import type { PageGuard } from '../../../pages/page-guard.ts'
import { statusMailPaths } from '../../../pages/secret-links.ts'
import { RequestLimit } from '../rate-limit.ts'
import { sendNothingToSee, sendTooMany } from '../send-refusal.ts'
import {
  confirmedPage,
  confirmPage,
  linkInvalidPage,
  requestedPage,
  subscribePage,
  unsubscribedPage,
  unsubscribePage,
} from './pages.ts'
import { statusMailWords } from './words.ts'

interface Services {
  bots: Pick<Bots, 'statusBoard'>
  statusMail: StatusMail
  formTokens: FormTokens
  flash: Flash
  guard: PageGuard
  clock: Clock
}

type Ref = { Params: { botRef: string } }

/**
 * Registers the pages for subscribing to mail about a bot's status, and the pages that links in this mail open. Opening
 * a link changes nothing, because mail scanners open links too. None of the pages needs a session.
 */
export function statusMailSurface(services: Services): Mount {
  const { bots, statusMail, flash, clock, guard } = services
  return (app) => {
    const limit = new RequestLimit(clock)

    app.get<Ref>('/botstatus/:botRef/subscribe', async (request, reply) => {
      const retryAfterSec = await limit.take(canonicalAddress(request.ip))
      if (retryAfterSec !== undefined) return sendTooMany(reply, retryAfterSec)
      if (flash.take(request, reply) === 'sent') return sendPage(reply, requestedPage(pathOf(request)))
      return sendForm(services, request, reply, noErrors)
    })

    app.post<Ref>('/botstatus/:botRef/subscribe', async (request, reply) => {
      const retryAfterSec = await limit.take(canonicalAddress(request.ip))
      if (retryAfterSec !== undefined) return sendTooMany(reply, retryAfterSec)
      const bot = statusMail.isAvailable ? await bots.statusBoard.find(request.params.botRef) : undefined
      if (bot === undefined) return sendNothingToSee(reply, await guard.person(request, reply))
      try {
        const outcome = await statusMail.request(bot.id, formText(request, 'email'), browserInfo(request))
        if (outcome === 'full') return await sendForm(services, request, reply, full)
      } catch (error) {
        return sendForm(services, request, reply, refused(error, request, reply))
      }
      return flash.redirect(reply, `${pathOf(request)}/subscribe`, 'sent')
    })

    app.get(statusMailPaths.confirm, async (request, reply) => {
      const token = tokenIn(request)
      const subscriber = await statusMail.toConfirm(token)
      if (subscriber === undefined) return sendLinkInvalid(reply, await guard.person(request, reply))
      if (subscriber.confirmedAtMs !== null) return sendPage(reply, confirmedPage(subscriber))
      return sendPage(reply, confirmPage(subscriber, token, formOf(services, request, reply)))
    })

    app.post(statusMailPaths.confirm, async (request, reply) => {
      const token = formText(request, 'token')
      const subscriber = await statusMail.toConfirm(token)
      if (subscriber === undefined) return sendLinkInvalid(reply, await guard.person(request, reply))
      try {
        if ((await statusMail.confirm(token)) === 'confirmed') return sendPage(reply, confirmedPage(subscriber))
      } catch (error) {
        refused(error, request, reply)
        return sendLinkInvalid(reply, await guard.person(request, reply))
      }
      const form = { ...formOf(services, request, reply), errors: full.errors }
      return sendPage(reply, confirmPage(subscriber, token, form), { status: full.status })
    })

    app.get(statusMailPaths.unsubscribe, async (request, reply) => {
      const token = tokenIn(request)
      const subscriber = await statusMail.toUnsubscribe(token)
      if (subscriber === undefined) return sendLinkInvalid(reply, await guard.person(request, reply))
      if (subscriber === 'gone') return sendPage(reply, unsubscribedPage())
      return sendPage(reply, unsubscribePage(subscriber, token, formOf(services, request, reply)))
    })

    app.post(statusMailPaths.unsubscribe, async (request, reply) => {
      try {
        await statusMail.unsubscribe(formText(request, 'token'))
      } catch (error) {
        refused(error, request, reply)
        return sendLinkInvalid(reply, await guard.person(request, reply))
      }
      return sendPage(reply, unsubscribedPage())
    })

    // For mail programs that open the URL for one-click unsubscribing instead of posting to it.
    app.get(statusMailPaths.oneClick, async (request, reply) =>
      reply.redirect(`${statusMailPaths.unsubscribe}?token=${encodeURIComponent(tokenIn(request))}`),
    )
  }
}

/**
 * `POST /status-mail/one-click`: unsubscribes when a mail program requests it (RFC 8058). Mount it beside the pages,
 * because mail programs have no form token. The secret token in the URL authorizes the request.
 */
export function oneClickSurface({ statusMail }: { statusMail: StatusMail }): Mount {
  return (app) => {
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      // The body repeats what the path says, and its content type varies, so it is ignored.
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined))
      scope.post(statusMailPaths.oneClick, async (request, reply) => {
        try {
          await statusMail.unsubscribe(tokenIn(request))
        } catch (error) {
          refused(error, request, reply)
          return sendLinkInvalid(reply)
        }
        return sendPage(reply, unsubscribedPage())
      })
    })
  }
}

const full: FormResult = { status: 503, errors: { fields: {}, form: statusMailWords.full } }

async function sendForm(
  services: Services,
  request: FastifyRequest<Ref>,
  reply: FastifyReply,
  { status, errors }: FormResult,
): Promise<FastifyReply> {
  const { bots, statusMail, guard } = services
  const bot = statusMail.isAvailable ? await bots.statusBoard.find(request.params.botRef) : undefined
  if (bot === undefined) return sendNothingToSee(reply, await guard.person(request, reply))
  const view = { bot: bot.status.name, path: pathOf(request), email: formText(request, 'email') }
  return sendPage(reply, subscribePage({ ...view, ...formOf(services, request, reply), errors }), { status })
}

function formOf({ formTokens }: Services, request: FastifyRequest, reply: FastifyReply) {
  return { formToken: formTokens.issue(request, reply), errors: noErrors.errors }
}

function sendLinkInvalid(reply: FastifyReply, person?: Person): FastifyReply {
  return sendPage(reply, linkInvalidPage(person), { status: 404 })
}

const refused = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
  refusedForm(error, { request, reply }, 'status mail refused')

function tokenIn(request: FastifyRequest): string {
  const { token } = request.query as Record<string, unknown>
  return typeof token === 'string' ? token : ''
}

function pathOf(request: FastifyRequest<Ref>): string {
  return `/botstatus/${encodeURIComponent(request.params.botRef)}`
}

import type { FastifyInstance, FastifyReply } from 'fastify'
import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import { parseUserId } from '../../../domain/ids.ts'
import { formText } from '../../../pages/form-posts.ts'
import { sendPage } from '../../../pages/page.ts'
import type { SignedInRequest } from '../../../pages/page-guard.ts'
import { invitationAddress, invitationPath } from '../../../pages/secret-links.ts'
import { tryChange } from '../bot-errors.ts'
import { type BotPageServices, type BotVisit, byOf, onBot, pageAt, sendNotFound } from '../on-bot.ts'
import { noInput, readInput } from './coworker-routes.ts'
import {
  invitationDeclinedPage,
  invitationMadePage,
  invitationPage,
  invitationRefusedPage,
  newInvitationPage,
} from './invitation-pages.ts'

interface InvitationServices extends BotPageServices {
  baseUrl: string
}

/** Registers `/bots/{botId}/invitations` for owners and `/invitation` for recipients. */
export function invitationRoutes(app: FastifyInstance, services: InvitationServices): void {
  const { invitations } = services.bots

  app.get(
    '/bots/:botId/invitations/new',
    onBot(services, 'change-coworkers', async (visit) =>
      sendPage(visit.reply, newInvitationPage({ ...visit, input: { ...noInput, label: '' }, errors: [] })),
    ),
  )

  app.post(
    '/bots/:botId/invitations',
    onBot(
      services,
      {
        action: 'change-coworkers',
        page: pageAt('/bots/:botId/invitations/new'),
      },
      async (visit) => {
        const { bot, by, request, reply } = visit
        const { role, capabilities } = readInput(request)
        const input = { role, capabilities, label: formText(request, 'label') }
        const { errors, result: made } = await tryChange(() => invitations.make(bot.id, input, by))
        if (errors !== undefined) {
          return sendPage(reply, newInvitationPage({ ...visit, input, errors }), { status: 422 })
        }
        request.log.info({ bot: bot.id, user: by.userId, role }, 'invitation created')
        const link = invitationAddress(services.baseUrl, made.clearTextToken)
        return sendPage(reply, invitationMadePage({ ...visit, link }), { status: 201 })
      },
    ),
  )

  app.post(
    '/bots/:botId/invitations/:number/confirmation',
    onBot(services, { action: 'change-coworkers', page: pageAt('/bots/:botId/coworkers') }, async (visit) => {
      const { bot, by, request, reply } = visit
      const userId = parseUserId(formText(request, 'user'))
      if (userId === undefined) return sendNotFound(visit)
      try {
        await invitations.confirm(bot.id, numberIn(visit), userId, by)
      } catch (error) {
        if (!(error instanceof BotRefusal)) throw error
        return sendNotFound(visit)
      }
      request.log.info({ bot: bot.id, user: by.userId, coworker: userId }, 'invitation confirmed')
      return services.flash.redirect(reply, `/bots/${bot.id}/coworkers`, 'coworker-added')
    }),
  )

  app.post(
    '/bots/:botId/invitations/:number/revocation',
    onBot(services, { action: 'change-coworkers', page: pageAt('/bots/:botId/coworkers') }, async (visit) => {
      const { bot, by, request, reply } = visit
      if (!(await invitations.revoke(bot.id, numberIn(visit), by))) return sendNotFound(visit)
      request.log.info({ bot: bot.id, user: by.userId }, 'invitation revoked')
      return services.flash.redirect(reply, `/bots/${bot.id}/coworkers`, 'invitation-revoked')
    }),
  )

  app.get(
    invitationPath,
    services.guard.signedIn(async (visit) => {
      const { token } = visit.request.query as Record<string, unknown>
      const clearTextToken = typeof token === 'string' ? token : ''
      const invitation = await invitations.open(clearTextToken, visit.session.userId)
      if (invitation === undefined) return sendInvitationRefused(visit, 'invitation-unknown')
      const { person, session, reply } = visit
      return sendPage(reply, invitationPage({ person, userName: session.userName, invitation, clearTextToken }))
    }),
  )

  for (const action of ['acceptance', 'refusal'] as const) {
    app.post(
      `${invitationPath}/${action}`,
      services.guard.signedIn(
        async (visit) => {
          const { person, request, reply } = visit
          const by = byOf(visit)
          const clearTextToken = formText(request, 'token')
          try {
            if (action === 'acceptance') await invitations.accept(clearTextToken, by)
            else await invitations.decline(clearTextToken, by)
          } catch (error) {
            if (!(error instanceof BotRefusal)) throw error
            return sendInvitationRefused(visit, error.reason)
          }
          request.log.info({ user: by.userId, action }, 'invitation answered')
          if (action === 'refusal') return sendPage(reply, invitationDeclinedPage(person))
          return reply.redirect(invitationAddress('', clearTextToken), 303)
        },
        { page: (request) => invitationAddress('', formText(request, 'token')) },
      ),
    )
  }
}

/** Sends the page for a refused invitation. Throws a BotRefusal if the reason has no page of its own. */
function sendInvitationRefused(
  { person, request, reply }: SignedInRequest,
  reason: BotRefusal['reason'],
): FastifyReply {
  request.log.info({ reason }, 'invitation refused')
  if (reason === 'works-already') return sendPage(reply, invitationRefusedPage(person, 'worksAlready'), { status: 409 })
  if (reason !== 'invitation-unknown') throw new BotRefusal(reason)
  return sendPage(reply, invitationRefusedPage(person, 'unknown'), { status: 404 })
}

/** Returns the invitation number from the URL. If it is malformed, returns 0, which no invitation has. */
function numberIn({ request }: BotVisit): number {
  const { number = '' } = request.params as { number?: string }
  return /^[0-9]{1,15}$/.test(number) ? Number(number) : 0
}

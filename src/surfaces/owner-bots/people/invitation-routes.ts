import type { FastifyInstance, FastifyReply } from 'fastify'
import { BotRefusal } from '../../../domain/bots/bot-refusal.ts'
import { parseUserId } from '../../../domain/ids.ts'
import { form, textField } from '../../../pages/form.ts'
import { formText } from '../../../pages/form-posts.ts'
import { formPage, sendForm } from '../../../pages/form-routes.ts'
import { t } from '../../../pages/html.ts'
import type { SignedInRequest } from '../../../pages/page-guard.ts'
import { botsPlace, invitationAddress, invitationPath } from '../../../pages/places.ts'
import { botTrail } from '../bot-frame.ts'
import { type BotPageServices, type BotVisit, botRoutes, onBot, pageAt, sendNotFound } from '../on-bot.ts'
import { botDone, botErrors } from '../words.ts'
import { noRole, roleFields } from './coworker-form.ts'
import {
  invitationDeclinedPage,
  invitationMadePage,
  invitationPage,
  invitationRefusedPage,
} from './invitation-pages.ts'
import { invitationWords as words } from './words.ts'

const invitationForm = form(
  {
    label: textField({
      label: t`Recipient`,
      hint: t`A name or an email address. Only you see it.`,
      autocomplete: 'off',
    }),
    ...roleFields,
  },
  { focusesError: true },
)

interface InvitationServices extends BotPageServices {
  baseUrl: string
}

/** Registers `/bots/{botId}/invitations` for owners and `/invitation` for recipients. */
export function invitationRoutes(app: FastifyInstance, services: InvitationServices): void {
  const { post } = botRoutes(app, services)
  const { invitations } = services.bots

  formPage(
    app,
    { get: '/bots/:botId/invitations/new', post: '/bots/:botId/invitations' },
    onBot(services, { action: 'change-coworkers', page: pageAt('/bots/:botId/invitations/new') }),
    {
      form: invitationForm,
      values: () => ({ label: '', ...noRole }),
      errors: botErrors,
      show: (visit, filled) =>
        sendForm(visit, invitationForm, filled, {
          place: botsPlace,
          width: 'narrow',
          trail: botTrail(visit.bot, 'coworkers'),
          canonical: `/bots/${visit.bot.id}/invitations/new`,
          title: filled.errors.length > 0 ? t`Invitation not created` : t`Invite someone to ${visit.bot.name}`,
          heading: t`Invite someone to ${visit.bot.name}`,
          about: words.form.about,
          action: `/bots/${visit.bot.id}/invitations`,
          submit: t`Create invitation`,
          back: `/bots/${visit.bot.id}/coworkers`,
        }),
      async post(visit, { label, role, capability: capabilities }) {
        const { bot, by, request, send } = visit
        const made = await invitations.make(bot.id, { label, role, capabilities }, by)
        request.log.info({ bot: bot.id, user: by.userId, role }, 'invitation created')
        return send(
          invitationMadePage({ ...visit, link: invitationAddress(services.baseUrl, made.clearTextToken) }),
          201,
        )
      },
    },
  )

  post(
    '/bots/:botId/invitations/:number/confirmation',
    { action: 'change-coworkers', page: pageAt('/bots/:botId/coworkers') },
    async (visit) => {
      const { bot, by, request, redirect } = visit
      const userId = parseUserId(formText(request, 'user'))
      if (userId === undefined) return sendNotFound(visit)
      try {
        await invitations.confirm(bot.id, numberIn(visit), userId, by)
      } catch (error) {
        if (!(error instanceof BotRefusal)) throw error
        if (error.reason !== 'collaborators-too-many') return sendNotFound(visit)
        return redirect(`/bots/${bot.id}/coworkers`, botDone.coworkersTooMany)
      }
      request.log.info({ bot: bot.id, user: by.userId, coworker: userId }, 'invitation confirmed')
      return redirect(`/bots/${bot.id}/coworkers`, botDone.coworkerAdded)
    },
  )

  post(
    '/bots/:botId/invitations/:number/revocation',
    { action: 'change-coworkers', page: pageAt('/bots/:botId/coworkers') },
    async (visit) => {
      const { bot, by, request, redirect } = visit
      if (!(await invitations.revoke(bot.id, numberIn(visit), by))) return sendNotFound(visit)
      request.log.info({ bot: bot.id, user: by.userId }, 'invitation revoked')
      return redirect(`/bots/${bot.id}/coworkers`, botDone.invitationRevoked)
    },
  )

  app.get(
    invitationPath,
    services.guard.signedIn(async (visit) => {
      const { token } = visit.request.query as Record<string, unknown>
      const clearTextToken = typeof token === 'string' ? token : ''
      const invitation = await invitations.open(clearTextToken, visit.session.userId)
      if (invitation === undefined) return sendInvitationRefused(visit, 'invitation-unknown')
      const { person, session, send } = visit
      return send(invitationPage({ person, userName: session.userName, invitation, clearTextToken }))
    }),
  )

  for (const action of ['acceptance', 'refusal'] as const) {
    app.post(
      `${invitationPath}/${action}`,
      services.guard.signedIn(
        async (visit) => {
          const { by, person, request, reply, send } = visit
          const clearTextToken = formText(request, 'token')
          try {
            if (action === 'acceptance') await invitations.accept(clearTextToken, by)
            else await invitations.decline(clearTextToken, by)
          } catch (error) {
            if (!(error instanceof BotRefusal)) throw error
            return sendInvitationRefused(visit, error.reason)
          }
          request.log.info({ user: by.userId, action }, 'invitation answered')
          if (action === 'refusal') return send(invitationDeclinedPage(person))
          return reply.redirect(invitationAddress('', clearTextToken), 303)
        },
        { page: (request) => invitationAddress('', formText(request, 'token')) },
      ),
    )
  }
}

/** Sends the page for a refused invitation. Throws a BotRefusal if the reason has no page of its own. */
function sendInvitationRefused({ person, request, send }: SignedInRequest, reason: BotRefusal['reason']): FastifyReply {
  request.log.info({ reason }, 'invitation refused')
  if (reason === 'works-already') return send(invitationRefusedPage(person, 'worksAlready'), 409)
  if (reason !== 'invitation-unknown') throw new BotRefusal(reason)
  return send(invitationRefusedPage(person, 'unknown'), 404)
}

/** Returns the invitation number from the URL. If it is malformed, returns 0, which no invitation has. */
function numberIn({ request }: BotVisit): number {
  const { number = '' } = request.params as { number?: string }
  return /^[0-9]{1,15}$/.test(number) ? Number(number) : 0
}

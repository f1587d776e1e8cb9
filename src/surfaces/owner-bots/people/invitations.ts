import type { FastifyInstance, FastifyReply } from 'fastify'
import type { OpenedInvitation } from '../../../domain/bots/invitations.ts'
import { BotRefusal } from '../../../domain/bots/record-rules.ts'
import { parseUserId } from '../../../domain/ids-and-secrets.ts'
import { button, card, linkButton, notice, postForm } from '../../../pages/components/elements.ts'
import { secretReveal } from '../../../pages/components/secrets.ts'
import { errorPage } from '../../../pages/error-page.ts'
import { form, textField } from '../../../pages/form.ts'
import { formText, numberIn } from '../../../pages/form-posts.ts'
import { type Admit, acceptPost, formPage, sendForm, showPage } from '../../../pages/form-routes.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import type { SignedInRequest } from '../../../pages/page-guard.ts'
import { botsPlace, invitationAddress, invitationPath } from '../../../pages/places.ts'
import { capabilityInWords, roleWords } from '../../../pages/words/bots.ts'
import {
  type BotPageServices,
  type BotVisit,
  botsFrame,
  botTrail,
  onBot,
  pageAt,
  sendNotFound,
  toBots,
} from '../bot-pages.ts'
import { botDone, botErrors } from '../words.ts'
import { noRole, roleFields } from './coworkers.ts'

const about = t`The link expires after 7 days and works for one person. They get access only after you confirm them.`

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

export function invitationRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { invitations } = services.bots

  formPage(
    app,
    { get: '/bots/:botId/invitations/new', post: '/bots/:botId/invitations' },
    onBot(services, { action: 'change-coworkers', page: pageAt('/bots/:botId/invitations/new') }),
    {
      form: invitationForm,
      values({ request }) {
        const { label } = request.query as Record<string, unknown>
        return { label: typeof label === 'string' ? label : '', ...noRole }
      },
      errors: botErrors,
      show: (visit, filled) =>
        sendForm(visit, invitationForm, filled, {
          place: botsPlace,
          width: 'narrow',
          trail: botTrail(visit.bot, 'coworkers'),
          canonical: `/bots/${visit.bot.id}/invitations/new`,
          title: filled.errors.length > 0 ? t`Invitation not created` : t`Invite someone to ${visit.bot.name}`,
          heading: t`Invite someone to ${visit.bot.name}`,
          about,
          action: `/bots/${visit.bot.id}/invitations`,
          submit: t`Create invitation`,
          back: `/bots/${visit.bot.id}/coworkers`,
        }),
      async post(visit, { label, role, capability: capabilities }) {
        const { bot, by, request } = visit
        const made = await invitations.make(bot.id, { label, role, capabilities }, by)
        request.log.info({ bot: bot.id, user: by.userId, role }, 'invitation created')
        return sendInvitationLink(visit, invitationAddress(services.baseUrl, made.clearTextToken))
      },
    },
  )

  const onList = onBot(services, { action: 'change-coworkers', page: pageAt('/bots/:botId/coworkers') })
  acceptPost(app, '/bots/:botId/invitations/:number/confirmation', onList, async (visit) => {
    const { bot, by, request, redirect } = visit
    const userId = parseUserId(formText(request, 'user'))
    if (userId === undefined) return sendNotFound(visit)
    try {
      await invitations.confirm(bot.id, numberIn(request), userId, by)
    } catch (error) {
      if (!(error instanceof BotRefusal)) throw error
      if (error.reason !== 'collaborators-too-many') return sendNotFound(visit)
      return redirect(`/bots/${bot.id}/coworkers`, botDone.coworkersTooMany)
    }
    request.log.info({ bot: bot.id, user: by.userId, coworker: userId }, 'invitation confirmed')
    return redirect(`/bots/${bot.id}/coworkers`, botDone.coworkerAdded)
  })

  acceptPost(app, '/bots/:botId/invitations/:number/revocation', onList, async (visit) => {
    const { bot, by, request, redirect } = visit
    if (!(await invitations.revoke(bot.id, numberIn(request), by))) return sendNotFound(visit)
    request.log.info({ bot: bot.id, user: by.userId }, 'invitation revoked')
    return redirect(`/bots/${bot.id}/coworkers`, botDone.invitationRevoked)
  })

  showPage(app, invitationPath, services.guard.signedIn, async (visit) => {
    const { token } = visit.request.query as Record<string, unknown>
    const clearTextToken = typeof token === 'string' ? token : ''
    const invitation = await invitations.open(clearTextToken, visit.session.userId)
    if (invitation === undefined) return sendInvitationRefused(visit, 'invitation-unknown')
    return sendInvitation(visit, invitation, clearTextToken)
  })

  const onInvitation: Admit<SignedInRequest> = (work) =>
    services.guard.signedIn(work, { page: (request) => invitationAddress('', formText(request, 'token')) })
  for (const action of ['acceptance', 'refusal'] as const) {
    acceptPost(app, `${invitationPath}/${action}`, onInvitation, async (visit) => {
      const { by, request, reply, show } = visit
      const clearTextToken = formText(request, 'token')
      try {
        if (action === 'acceptance') await invitations.accept(clearTextToken, by)
        else await invitations.decline(clearTextToken, by)
      } catch (error) {
        if (!(error instanceof BotRefusal)) throw error
        return sendInvitationRefused(visit, error.reason)
      }
      request.log.info({ user: by.userId, action }, 'invitation answered')
      if (action === 'refusal') {
        return show({
          ...frame,
          title: t`Invitation declined`,
          canonical: '/bots',
          body: html`<h1>${t`Invitation declined`}</h1>
<p>${t`The link no longer works.`}</p>
${toBots}`,
        })
      }
      return reply.redirect(invitationAddress('', clearTextToken), 303)
    })
  }
}

const frame = { place: botsPlace, width: 'narrow', trail: [] } as const

/** Sends the page for a refused invitation. Throws a BotRefusal if the reason has no page of its own. */
function sendInvitationRefused({ person, request, send }: SignedInRequest, reason: BotRefusal['reason']): FastifyReply {
  request.log.info({ reason }, 'invitation refused')
  const shown = { ...botsFrame(person), trail: [] }
  if (reason === 'works-already') {
    const accessible = {
      what: t`You already have access to this bot`,
      why: t`The invitation is for someone else and is still valid.`,
      whatToDo: t`Forward the link to that person.`,
    }
    return send(errorPage({ ...accessible, ways: [toBots] }, shown), 409)
  }
  if (reason !== 'invitation-unknown') throw new BotRefusal(reason)
  const unknown = {
    what: t`This invitation is not valid`,
    why: t`It was used or revoked, has expired, or the link is incomplete.`,
    whatToDo: t`Ask the bot’s owner for a new invitation.`,
  }
  return send(errorPage({ ...unknown, ways: [toBots] }, shown), 404)
}

/** @param link the full link with its token. Only this page shows it. */
function sendInvitationLink({ bot, show }: BotVisit, link: string): FastifyReply {
  const back = `/bots/${bot.id}/coworkers`
  return show({
    ...frame,
    status: 201,
    title: t`Invitation created`,
    trail: botTrail(bot, 'coworkers'),
    canonical: back,
    shownOnce: true,
    body: html`<h1>${t`Invitation created`}</h1>
${secretReveal({
  title: t`Invitation link`,
  label: t`Invitation link`,
  clearText: link,
  testId: 'invitation-link',
  explain: html`${t`Copy the link now and send it to the person. It is shown only once.`} ${about}`,
})}
${linkButton({ label: t`View collaborators`, href: back, tone: 'plain' })}`,
  })
}

/** Sends the invitation to its recipient, with buttons or, once accepted, the need for the owner's confirmation. */
function sendInvitation(
  { show, session: { userName } }: SignedInRequest,
  invitation: OpenedInvitation,
  clearTextToken: string,
): FastifyReply {
  const { botName, ownerName, role, capabilities, acceptedBy } = invitation
  const answer = (action: string, submit: Html) =>
    postForm(
      { action: `/invitation/${action}` },
      html`<input type="hidden" name="token" value="${clearTextToken}">${submit}`,
    )
  return show({
    ...frame,
    title: t`Invitation to ${botName}`,
    body: html`<h1>${t`Invitation to ${botName}`}</h1>
${acceptedBy !== null && notice({ tone: 'good', body: t`Invitation accepted. You get access when the owner confirms you.` })}
${card({
  id: 'invitation',
  title: t`${ownerName} invites you to work on ${botName}.`,
  body: html`<p>${t`${t`Role`}: ${html`<strong>${roleWords[role].name}</strong>`}`}. ${roleWords[role].may}</p>
${capabilities.length > 0 && html`<p>${t`Extra permissions`}:</p><ul>${capabilities.map((one) => html`<li>${capabilityInWords(one)}</li>`)}</ul>`}
<p>${t`You are signed in as ${userName}.`}${acceptedBy === null && html` ${t`If you accept, the owner sees your name, email address and user ID, and must then confirm you.`}`}</p>
<div class="buttons">${
    acceptedBy === null
      ? html`${answer('acceptance', button({ label: t`Accept invitation`, tone: 'primary' }))}${answer('refusal', button({ label: t`Decline invitation`, tone: 'plain' }))}`
      : answer('refusal', button({ label: t`Withdraw acceptance`, tone: 'plain' }))
  }</div>`,
})}`,
  })
}

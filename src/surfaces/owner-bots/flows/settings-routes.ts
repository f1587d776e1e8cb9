import type { FastifyInstance, FastifyReply } from 'fastify'
import { formText } from '../../../pages/form-posts.ts'
import { ask, formPost, showPage } from '../../../pages/form-routes.ts'
import { html, t } from '../../../pages/html.ts'
import { type BotPageServices, pageAt } from '../bot-pages.ts'
import { keyEnding } from '../key-form.ts'
import { botDone, botErrors } from '../words.ts'
import { currentKeyOf } from './flow-page.ts'
import { type Signature, signatureForm, type Taking, takingForm } from './flow-settings-sections.ts'
import { type FlowVisit, flowFrame, newKeyQuestion, onFlow, sendFlow } from './routes.ts'

/**
 * Registers the forms for a flow's webhook settings: ordering and deduplication, the key requirement, and the
 * signature.
 */
export function flowSettingsRoutes(app: FastifyInstance, services: BotPageServices): void {
  const { flows } = services.bots
  const page = pageAt('/bots/:botId/flows/:flowId')
  const onSettings = (action: 'change-flows' | 'change-keys') => onFlow(services, { action, page })

  formPost(app, '/bots/:botId/flows/:flowId/taking', onSettings('change-flows'), {
    form: takingForm,
    errors: botErrors,
    show: (visit, { values: taking, ...rejected }) => sendFlow(visit, { ...rejected, input: { taking } }),
    async post({ bot, by, flow, request, redirect }, taking) {
      await flows.changeWebhook(bot.id, flow.id, { by, ordered: taking.ordered, dedupe: dedupeOf(taking) })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow changed')
      return redirect(`/bots/${bot.id}/flows/${flow.id}`, botDone.flowChanged)
    },
  })

  showPage(app, '/bots/:botId/flows/:flowId/key-requirement', onFlow(services, 'change-keys'), async (visit) =>
    askToRequireKey(visit),
  )

  formPost(app, '/bots/:botId/flows/:flowId/key-requirement', onSettings('change-keys'), {
    errors: botErrors,
    show: sendFlow,
    async post(visit) {
      const { bot, by, flow, request, redirect } = visit
      const ownerRequiresKey = formText(request, 'required') !== 'no'
      // Requiring a key that no sender has would reject all webhooks.
      if (ownerRequiresKey && currentKeyOf(flow) === undefined) return askToRequireKey(visit)
      const put = await flows.changeWebhook(bot.id, flow.id, { by, ownerRequiresKey })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId, ownerRequiresKey }, 'key requirement changed')
      // The flow's key was removed meanwhile, so one was created. It is shown only in this response.
      const { clearTextKey } = put
      if (clearTextKey !== undefined) return sendFlow({ ...visit, flow: put.flow }, { clearTextKey })
      return redirect(
        `/bots/${bot.id}/flows/${flow.id}`,
        ownerRequiresKey ? botDone.keyRequired : botDone.keyNotRequired,
      )
    },
  })

  formPost(app, '/bots/:botId/flows/:flowId/signature', onSettings('change-keys'), {
    form: signatureForm,
    errors: botErrors,
    show: (visit, { values: signature, ...rejected }) => sendFlow(visit, { ...rejected, input: { signature } }),
    async post({ bot, by, flow, request, redirect }, signature) {
      await flows.changeWebhook(bot.id, flow.id, { by, signature: signatureOf(signature) })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'flow signature changed')
      return redirect(`/bots/${bot.id}/flows/${flow.id}`, botDone.flowChanged)
    },
  })

  formPost(app, '/bots/:botId/flows/:flowId/previous-secret/end', onSettings('change-keys'), {
    errors: botErrors,
    show: sendFlow,
    async post({ bot, by, flow, request, redirect }) {
      await flows.changeWebhook(bot.id, flow.id, { by, endsPreviousSecret: true })
      request.log.info({ bot: bot.id, flow: flow.id, user: by.userId }, 'previous signing secret ended')
      return redirect(`/bots/${bot.id}/flows/${flow.id}`, botDone.flowChanged)
    },
  })
}

/** Asks before the flow's key is required or, if it has none, before one is created. */
function askToRequireKey(visit: FlowVisit): FastifyReply {
  const { flow } = visit
  const lastFour = currentKeyOf(flow)?.lastFour
  if (lastFour === undefined) return ask(visit, flowFrame(visit), newKeyQuestion(visit))
  return ask(visit, flowFrame(visit), {
    title: t`Require the key of ${flow.name}?`,
    effect: [
      t`Webhooks without the key ${keyEnding(lastFour)} are then rejected with 401. Enter it at every sender first.`,
    ],
    fields: [html`<input type="hidden" name="required" value="yes">`],
    submit: t`Require key`,
  })
}

function dedupeOf({ dedupeBy, dedupeHeader: header, dedupePointer: pointer, dedupeWindow: window }: Taking) {
  if (dedupeBy === '') return null
  const windowSeconds = window === '' ? undefined : Number(window)
  return dedupeBy === 'header' ? { header, windowSeconds } : { pointer, windowSeconds }
}

/** Returns the signature settings with only the preset's own fields, or `null` if no preset is chosen. */
function signatureOf({ preset, publicKey, secret, header, ...input }: Signature) {
  if (preset === '') return null
  if (preset === 'discord') return { preset, publicKey }
  // An empty field keeps the stored secret.
  const clearTextSecret = secret === '' ? undefined : secret
  if (preset === 'token') return { preset, clearTextSecret, header }
  if (preset !== 'hmac') return { preset, clearTextSecret }
  const { hash, encoding, prefix } = input
  const signed = input.signed || undefined
  const timestampHeader = input.timestampHeader || undefined
  const timestampPart = input.timestampPart || undefined
  return { preset, clearTextSecret, header, hash, encoding, prefix, signed, timestampHeader, timestampPart }
}

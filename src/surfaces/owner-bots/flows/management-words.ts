import { type Words, words } from '../../../pages/html.ts'

/** Text for creating and removing flows. */
export const flowManagementWords = {
  none: words({
    en: 'A flow defines what the bot does when something happens. Create one to receive webhooks.',
    de: 'Ein Flow legt fest, was der Bot bei einem Ereignis tut. Erstellen Sie einen, um Webhooks zu empfangen.',
  }),
  create: {
    title: words({ en: 'New flow', de: 'Neuer Flow' }),
    about: words({
      en: 'The flow starts when a webhook arrives. After you create it, you get a key for senders.',
      de: 'Der Flow startet, wenn ein Webhook eintrifft. Nach dem Erstellen erhalten Sie einen Schlüssel für Absender.',
    }),
    name: words({ en: 'Name', de: 'Name' }),
    path: words({ en: 'Path', de: 'Pfad' }),
    pathHint: words({
      en: 'The end of the webhook URL, such as orders. Letters, digits and - _ . / ~.',
      de: 'Das Ende der Webhook-URL, zum Beispiel orders. Buchstaben, Ziffern und - _ . / ~.',
    }),
    submit: words({ en: 'Create flow', de: 'Flow erstellen' }),
  },
  remove: {
    title: (flow: string): Words => words({ en: `Remove ${flow}?`, de: `${flow} entfernen?` }),
    link: words({ en: 'Remove flow', de: 'Flow entfernen' }),
    effect: words({
      en: 'Webhooks to this flow are then rejected with 404. Webhooks already accepted are still delivered.',
      de: 'Webhooks an diesen Flow werden dann mit 404 abgewiesen. Bereits angenommene Webhooks werden noch zugestellt.',
    }),
    submit: words({ en: 'Remove flow', de: 'Flow entfernen' }),
  },
}

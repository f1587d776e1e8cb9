import { type Text, t, type Words } from '../../../pages/html.ts'

/** Text for a bot's settings page. */
export const botSettingsWords = {
  location: {
    title: t`Hosting location`,
    about: t`Shown to collaborators and in the status API. It doesn’t restrict runtimes.`,
    label: t`Location`,
    localMeans: t`A runtime on your own machine.`,
    cloudMeans: t`A runtime operated by the platform.`,
    save: t`Save location`,
  },
  publicStatus: {
    title: t`Public status`,
    about: t`A public page and a JSON API that show whether the bot is online.`,
    public: t`Public`,
    publicMeans: (address: string): Words =>
      t.html`Anyone can see the bot’s status. <a href="${address}">Open status page</a>`,
    page: t`Status page`,
    forPrograms: t`JSON API`,
    notPublic: t`Not public`,
    notPublicMeans: t`Visitors get a 404 page.`,
    close: t`Make status private`,
    closeMeans: t`The status page and badge stop working within one second.`,
    open: t`Make status public`,
    openMeans: t`Anyone can then see the bot’s name, picture, state, and number of servers and shards.`,
  },
  notice: {
    title: t`Notice`,
    label: t`Notice on the status page`,
    hint: t`One line, for example about planned maintenance. Leave empty to remove it.`,
    hintWhenSet: (when: Text): Words =>
      t`One line, for example about planned maintenance. Leave empty to remove it. Published ${when}.`,
    save: t`Save notice`,
  },
}

export const statusBadgeWords = t`Status badge`

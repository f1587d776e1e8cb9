import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import type { IconName } from '../../../pages/components/icon.ts'
import type { Tone } from '../../../pages/components/notice.ts'
import type { Words } from '../../../pages/html.ts'
import { botStates } from '../words.ts'

interface StateWords {
  tone: Tone
  icon: IconName
  word: Words
  /** Follows the bot's name. */
  inSentence: Words
  meaning: Words
}

/** Words for the bot's state on the page and on the preview picture. */
export const statesInWords: Record<BotState, StateWords> = {
  online: { tone: 'good', icon: 'check', ...botStates.online },
  connecting: { tone: 'warn', icon: 'warning', ...botStates.connecting },
  offline: { tone: 'bad', icon: 'cross', ...botStates.offline },
  'hosting-off': { tone: 'neutral', icon: 'dash', ...botStates['hosting-off'] },
}

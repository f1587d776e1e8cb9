import type { Build } from '../../domain/build.ts'
import type { Figure } from './figures.ts'

/** Always 1; its labels name the release. */
export function buildFigure({ version, commit }: Build): Figure {
  return {
    name: 'gatehouse_build_info',
    help: 'The release that runs: its version, and the commit where it is known.',
    labelNames: ['version', 'commit'],
    read: () => [[1, { version, ...(commit === undefined ? {} : { commit }) }]],
  }
}

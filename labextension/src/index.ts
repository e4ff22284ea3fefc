/** A Check button below each answer of a notebook that has checks. */
import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';

import { CheckedNotebook } from './notebook';
import { Service } from './service';

const COMMAND = 'autograder-check:check';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autograder-check:plugin',
  description: 'Asks the check service about an answer.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ICommandPalette],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker, palette: ICommandPalette | null) => {
    const service = new Service(app.serviceManager.serverSettings);
    const notebooks = new WeakMap<NotebookPanel, CheckedNotebook>();
    const current = () => tracker.currentWidget && notebooks.get(tracker.currentWidget);
    tracker.widgetAdded.connect((_, panel) => {
      notebooks.set(panel, new CheckedNotebook(panel, service));
    });
    app.commands.addCommand(COMMAND, {
      label: 'Check This Answer',
      caption: 'Saves the notebook and asks the check service about this answer',
      isEnabled: () => Boolean(current()?.hasQuestions),
      execute: () => current()?.checkActive(),
      describedBy: { args: { type: 'object', properties: {} } }
    });
    palette?.addItem({ command: COMMAND, category: 'Notebook Cell Operations' });
  }
};

export default plugin;

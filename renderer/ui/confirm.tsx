import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './button.js';
import { classNames } from './class-names.js';
import styles from './confirm.module.css';

const cx = classNames(styles);

interface ConfirmProps {
  readonly title: string;
  /** What the button that goes on says. */
  readonly yes: string;
  readonly children: ReactNode;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Asks once more before something that cannot be taken back; the focus starts on the way back. */
export function Confirm({ title, yes, children, onYes, onNo }: ConfirmProps) {
  return (
    <ModalOverlay
      className={cx('overlay')}
      isOpen
      onOpenChange={(open) => {
        if (!open) onNo();
      }}
    >
      <Modal>
        <Dialog role="alertdialog" className={cx('dialog')}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
          <div className={cx('actions')}>
            <Button onClick={onNo} autoFocus>
              Cancel
            </Button>
            <Button look="danger" onClick={onYes}>
              {yes}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

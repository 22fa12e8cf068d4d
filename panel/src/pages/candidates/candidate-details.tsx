import { SidePanel } from '../../parts/side-panel.tsx';
import styles from '../../parts/styles.module.css';
import { CandidatePanel, type CandidatePanelProps } from './candidate-panel.tsx';
import classes from './candidates.module.css';

export function CandidateDetails(props: CandidatePanelProps) {
  const { candidate, onClose } = props;
  return (
    <SidePanel
      title={candidate.ip_address}
      label={`Candidate ${candidate.ip_address}`}
      besideFrom={62}
      classNames={{
        beside: `${styles.card} ${classes.details}`,
        head: classes.head ?? '',
        title: `${classes.title} ${styles.mono}`,
      }}
      onClose={onClose}
    >
      <CandidatePanel {...props} />
    </SidePanel>
  );
}
